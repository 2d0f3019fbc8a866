// Written by: make errors

extension ErrorRows {
    static let part4 = #"""
        NOA-0124	66	there is no key in PLACE	the variable is not set in this job, nothing was written to standard input, or it is longer than a key	set the variable as a secret of the job, or pipe the key, as docs/ci.md shows
        NOA-0125	64	standard output is a terminal, and the result is no text	-o - is for a pipe or a file	name a file with -o, or send standard output to one
        NOA-0126	64	it is not known where this bundle was made: --source is missing	this is no job of GitHub or GitLab, whose environment tells it	give --source, --commit and --builder
        NOA-0127	66	there is no folder to keep fetched files in	neither XDG_CACHE_HOME nor HOME names an absolute path	set XDG_CACHE_HOME to a folder that noafw may write to
        NOA-0128	64	what stands on the display of a real unit cannot be read	the firmware of the Monocle and of the Frame only writes to the display	have the program print what it shows and follow it with noafw watch, or run the program on a virtual unit: noafw screen --virtual monocle
        NOA-0129	64	the photo has no place to go	no file was named, and this terminal shows no pictures	name a file: noafw photo -o photo.jpg
        OTA-0001	64	"TEXT" is not the address of a keyboard	it is an address such as http://ios-keyboard.local or http://192.168.1.20: plain HTTP, and no path	correct --url
        OTA-0002	69	the unit does not answer at URL: REASON	this machine is in another network, names under .local are not looked up here, or the unit's address has changed	join the unit's Wi-Fi, and give its IP address with --url http://ADDRESS
        OTA-0003	1	the answer at /status is not a keyboard's: REASON	another device answers there, or the unit's firmware is of another kind	see what answers at that address, and correct --url
        OTA-0004	69	ADDRESS answers, and says that it is ADDRESS	a router or a proxy lies between, and the unit could not fetch its firmware from this machine alone	join the unit's own Wi-Fi
        OTA-0005	69	the unit at URL is not the one that is connected over Bluetooth	several keyboards have the same name; nothing was written	give the address of the right one with --url, or the right Bluetooth address with --device
        OTA-0006	65	the image does not show which version the unit will report	the version in config.h is no text of its own in the image, or there are several such texts	give it with --firmware-version, such as 2.11.0
        OTA-0007	65	the unit reports 2.10.0 already, and the image would report the same	nothing would show which of the two runs afterwards	build the image with another CONFIG_APP_VERSION
        OTA-0008	69	this machine cannot offer the image to the unit: REASON	no free port, or its address has just changed	run the same command again
        OTA-0009	1	the unit does not begin the update: REASON	it is short of memory, or has begun another one	restart the unit, and run the same command again
        OTA-000A	75	the unit is in the middle of another update	another client began it	wait until it is over, and run the same command again
        OTA-000B	69	the unit never came for the image at URL	a firewall on this machine closes the port, or the Wi-Fi keeps its stations apart	allow connections from the unit's address to this machine, and run the same command again
        OTA-000C	75	the unit's download broke off at 40 %	its Wi-Fi is weak, or it lost power	run the same command again; the unit keeps its old firmware until the new one is whole
        OTA-000D	75	the unit's download stands still at 40 %	its Wi-Fi is weak	run the same command again; the unit keeps its old firmware until the new one is whole
        OTA-000E	1	the unit has taken the whole image and does not accept it	its flash is worn out, or the image arrived changed; it does not say which	run the same command again; replace the unit if it fails again
        OTA-000F	1	the unit did not restart after the update	its firmware hangs	restart its power, and see its version with noafw verify
        OTA-0010	1	the unit did not come back at URL after its restart	the new firmware does not start, does not join the Wi-Fi (it then opens IOS-Keyboard-Setup), or has a new address	restart the unit's power; if it stays away, flash it by cable (esptool, chip esp32s3): hold BOOT while it resets
        OTA-0011	1	the unit came back over Wi-Fi and is not heard over Bluetooth	the new firmware does not start Bluetooth, or a phone has connected to the unit	close the phone's app, and run the same command again
        OTA-0012	1	the unit reports its old firmware 2.10.0 again instead of 2.11.0	the new one ended or lost power before it called itself valid, and the bootloader went back to the old one	run the same command again; if the old one comes back again, test that image on a board with a cable
        OTA-0013	69	C0:00:00:00:00:10 is no IOS-Keyboard: its attributes are another unit's; nothing was sent to it	any unit can have the name of a keyboard	find the keyboard's address with noafw scan
        PRV-0001	69	no unit C0:00:00:00:00:10 is in reach	it was heard before, and fell asleep since, was taken away, or another host connected to it	wake the unit, close the phone app, and run the command again at once
        PRV-0002	1	the unit did not go into its bootloader	its firmware ignored the request, or it lost power meanwhile	power-cycle the unit and run the command again
        PRV-0003	1	the unit did not come back after its reset	a unit on a charger sleeps right after an update	take the unit off the charger and run the command again; it continues where it stopped
        PRV-0004	1	the unit reports firmware VERSION instead of VERSION	the unit does not run what was written, or the given version is not the version of the file	check the version given for the file; run the command again with --force --only firmware
        PRV-0005	1	the battery is at 20 %, below the minimum of 40 %	a unit that loses power during an update stays unusable until the update is repeated	charge the unit, or accept the risk with a lower --min-battery
        PRV-0006	1	the unit's firmware VERSION is newer than VERSION	the catalogue or the given package is older than the unit	use a newer package, or pass --allow-downgrade (the bootloader may still refuse)
        PRV-0007	1	the unit is in its bootloader	a firmware update was interrupted	finish it with noafw flash and the same options
        PRV-0008	65	FILE does not state one version	the image holds no version text, or more than one	add the file with noafw assets add --version
        PRV-0009	65	the version of FILE is not known	an FPGA image does not state its version, and the catalogue has no entry with its digest	give the version with --fpga-version, or add the file with noafw assets add
        PRV-0010	1	the unit's FPGA reports VERSION instead of VERSION; the image was taken out again, and the built-in VERSION runs	the image is not for this unit, the given version is not the version of the image, or the FPGA is damaged	check the file and its --fpga-version, and run the same command again; replace the unit if a released image fails
        PRV-0011	1	the unit's firmware VERSION cannot be compared with VERSION	versions have the form vYY.DDD.HHMM, such as v23.248.0754	pass --allow-downgrade to accept an older firmware (the bootloader may still refuse)
        PRV-0012	1	the bootloader at C0:00:00:00:00:11 took the whole firmware (2×) and is still on the air	the unit's program sends it back there at once, the unit does not start the image, or another device answers under its bootloader's address	reset the unit's pairing (with a cradle: press the cradle's button while the unit charges), which erases its scripts, too, and run the same command again; if it stays, see with noafw scan whether another device is in its bootloader near by
        PRV-0018	1	the unit does not report the charge of its battery	its firmware does not answer with a percentage	charge the unit and accept the risk with --min-battery 0
        PRV-0019	77	the files on the unit were not given up; nothing was changed	the update would have erased files that are of no release, and the question was not answered with yes	copy what is to be kept, and run the same command again, with --yes to be asked nothing
        PRV-0020	69	no unit is in reach	it is off, asleep on a charger, out of range or connected to another host	wake the unit, take it off the charger, close the phone app; see with noafw scan what is in reach
        PRV-0021	69	2 units match: C0:00:00:00:00:10 (FAMILY, -80 dBm), C0:00:00:00:00:10 (FAMILY, -80 dBm)	more than one unit is in reach, and noafw does not guess	name one with --device ADDRESS, or bring one close and use --nearest
        PRV-0022	69	no unit is as near as -65 dBm: C0:00:00:00:00:10 (FAMILY, -80 dBm)	--nearest takes only a unit that is next to the adapter	bring the unit to within a hand's breadth of the adapter, or name it with --device ADDRESS
        PRV-0023	69	no unit has the name "NAME"; in reach: C0:00:00:00:00:10 (FAMILY, -80 dBm)	it is off, out of range, or has another name (a unit in its bootloader has the name of the bootloader)	find names and addresses with noafw scan
        PRV-0024	69	no unit C0:00:00:00:00:10 is in reach; in reach: C0:00:00:00:00:10 (FAMILY, -80 dBm)	it is off, asleep, out of range or connected to another host, or the address is another unit's	compare the address with those in reach; else wake the unit, take it off the charger, and close the phone app
        PRV-0025	69	only a unit of another family is in reach: C0:00:00:00:00:10 (FAMILY, -80 dBm)	this command does not work on units of the family FAMILY	bring the right unit close; see with noafw scan what is in reach
        PRV-0026	69	an unknown bootloader is in reach: C0:00:00:00:00:10 (FAMILY, -80 dBm)	this station has not worked on that unit before; every device with Nordic's bootloader looks alike	name it with --device C0:00:00:00:00:10 if it is your unit
        PRV-0027	69	C0:00:00:00:00:10 runs its application, and a bootloader advertises at C0:00:00:00:00:10, the address after it	another device has the address that this unit's bootloader would have; nothing was sent to it	find that device and take it out of reach, then run the same command again
        PRV-0028	64	noafw does not talk to a running FAMILY	noafw only finds units of this family, and finishes an interrupted firmware update	use noafw scan or noafw rescue
        PRV-0029	1	the unit ends its link whenever its program is interrupted (REASON)	the program restarts the unit, or the firmware does so for what the program has made of it	replace the program: noafw flash --only scripts, with the files that the unit is to have, restarts the unit without it; if that fails, reset the unit's pairing (with a cradle: press the cradle's button while the unit charges), which erases its scripts, too
        PRV-0030	74	cannot read PATH: REASON	the file is damaged, or another version of noafw wrote it	move the file away; the next run starts a new list of units
        PRV-0031	74	cannot write PATH: REASON	the disk is full, or the folder belongs to another user	check the folder's permissions and free space, or set NOAFW_STATE_DIR to another folder
        PRV-0032	75	another process holds PATH	a noafw that writes this file was stopped (Ctrl-Z), or it hangs	find it with: fuser -v PATH; resume or end it, then run the same command again
        PRV-0033	64	no part of the unit was to be written or verified	the unit has none of the parts that were asked for	name a part that the unit has with --only, or leave --only out
        PRV-0034	69	the unit C0:00:00:00:00:10 was there, ended its link, and is not in reach any more	its program has put it to sleep, as some do that have heard nothing for a while; or it was taken away	wake the unit (tap it, or take it out of its cradle), and run the command again at once
        PRV-0040	1	the unit's program fails: ERROR	its scripts raise an error and do not catch it	see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw flash --only scripts --scripts FOLDER
        PRV-0041	1	the unit's program has ended	its main script ends, and no error was heard; nothing runs on the unit any more	see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw flash --only scripts --scripts FOLDER
        PRV-0042	1	the unit's program does not say that it is ready within 10 s	its scripts hang before they say so, or wait for something that does not come	see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw flash --only scripts --scripts FOLDER
        PRV-0043	1	the unit's program keeps printing and never says that it is ready; last: TEXT	its scripts are in a loop, or print too much: a quiet console is the sign of a ready program	see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw flash --only scripts --scripts FOLDER
        PRV-0044	1	the unit's program changes what was installed: NAME is missing	its scripts write, rename or remove files of their own set when they start	see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw flash --only scripts --scripts FOLDER
        PRV-0045	1	the link ends each time the unit's program has started (REASON)	its scripts restart the unit or switch its radio off, or the unit is too far away	see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw flash --only scripts --scripts FOLDER
        PRV-0046	69	the unit reports its old firmware VERSION again, and its bootloader took the whole new one	it lost power or was reset while its bootloader put the new one in place	charge the unit and run the same command again
        PRV-0050	64	this cannot be a unit's name: REASON	names are shown in tables and typed on command lines	give a name such as "Room 3, 12"
        PRV-0051	64	NAME is the name of C0:00:00:00:00:10	a name stands for one unit	give another name, or take that one away with noafw units forget
        PRV-0052	69	this station has names for 5000 units already	names.json holds no more	take away names of units that are gone: see noafw units list
        PRV-0060	1	the unit's camera gave no photo: REASON	the unit has no camera, its camera sleeps or is covered by other use, or its firmware takes no such photo	restart the unit and take the photo again, without options first
        PRV-0061	1	the photo is no whole JPEG: 100 bytes came	pieces were lost on a bad link, or the camera stopped in the middle	bring the unit nearer, and take the photo again
        PRV-0130	130	interrupted	the run was cancelled	run the same command again; it continues where it stopped
        REPL-0001	1	the unit does not show its Python prompt	its program does not let itself be interrupted	replace the program: noafw flash --only scripts, with the files that the unit is to have, restarts the unit without it; if that fails, power-cycle the unit
        REPL-0002	1	Python on the unit failed: ERROR: TEXT	the firmware is too old, or the unit is out of memory or space	power-cycle the unit and run the same command again; if it fails again, update the firmware
        REPL-0003	75	the unit did not answer with ANSWER	notifications were lost, or the unit restarted	run the same command again; it continues where it stopped
        REPL-0004	1	the unit printed more than 8192 bytes	a program on the unit prints without end	power-cycle the unit and run the same command again
        REPL-0005	64	code for the unit holds byte 0x3 at offset 10	the unit would act on this byte instead of reading it	escape it, or report this with the output of -v
        REPL-0007	75	timed out waiting for ANSWER	data was lost on the air, or the unit is busy	run the same command again; it continues where it stopped
        REPL-0008	75	data to or from the unit arrived damaged: ANSWER	data was lost or altered on the air	run the same command again; it continues where it stopped
        REPL-0009	1	the unit's firmware has no MODULE	its program has replaced a module, or the firmware is older or newer than noafw knows, or not the vendor's	replace the program: noafw flash --only scripts, with the files that the unit is to have, restarts the unit without it; if that fails, update the firmware with noafw flash --only firmware
        REPL-0010	1	Lua on the unit failed: ERROR	the firmware is too old, or the unit is out of space	run the same command again; if it fails again, update the firmware
        REPL-0011	1	the program on the unit does not stop	it catches the break signal, or it hangs	restart the unit and run the same command again; if that fails, reset the unit's pairing (with a cradle: press the cradle's button while the unit charges), which erases its scripts, too
        REPL-0012	75	the link takes 20 bytes at once, and the unit's prompt needs 97	the MTU was not negotiated	run the same command again; if it fails again, run: bluetoothctl remove ADDRESS
        REPL-0013	64	code for the unit has 20000 bytes, more than 16384	it is more than a command for the prompt	put it into a script
        REPL-0014	1	the program on the unit does not let it be asked: ERROR	it holds the memory, or has replaced functions of the firmware or of Lua	replace the program: noafw flash --only scripts, with the files that the unit is to have, restarts the unit without it; if that fails, reset the unit's pairing (with a cradle: press the cradle's button while the unit charges), which erases its scripts, too
        SCR-0001	66	cannot read the script folder FOLDER: REASON	it does not exist, or this user may not read it	give a folder that holds the unit's scripts
        SCR-0002	65	cannot read the script FILE: REASON	it is not a regular file, or this user may not read it	replace it with a file that this user may read
        SCR-0003	65	the script name NAME cannot be used on a unit	a name has letters, digits, '_', '.' and '-', ends in .py, and has at most 56 characters	rename the file
        SCR-0004	65	the script NAME is given twice	two sources were mixed	remove one of them
        SCR-0005	65	there is no main.py in PLACE	it is another folder, or incomplete	give a folder that holds main.py
        SCR-0006	65	there are 90 scripts, more than 64	it is another folder	give a folder that holds the unit's scripts only
        SCR-0007	65	the script FILE has 9000 bytes, more than 8192	it is not a script for a unit	shorten it
        SCR-0008	1	the scripts need 9000 bytes on the unit, but only 8192 are free	they are more than the unit's file system holds	make the scripts shorter
        SCR-0009	1	FILE on the unit does not hold what was sent	the unit's flash is worn out or damaged	run the same command again; replace the unit if it fails again
        SCR-0010	75	FILE could not be written to the unit	data is lost on the air repeatedly	bring the unit closer and run the same command again
        SCR-0011	66	the script FILE is missing	a manifest names it, but it is not in the same folder	put it there, or correct the manifest
        SCR-0012	65	main.py is not the last script of PLACE	it states the version, so it has to be written after all others	put it at the end of the list
        SCR-0013	65	FOLDER holds both main.py and main.lua	scripts for two families were mixed	choose one with --family monocle or --family frame
        SCR-0014	65	the scripts have 9000 bytes or more together, the limit is 8192	no unit has room for them, or it is another folder	give the unit's scripts only, or shorten them
        SCR-0015	1	the unit would load other files instead of its scripts or modules: NAME	Python looks for them first, so the verified files would not run	enter in noafw console: import uos; uos.remove('NAME'); then run the same command again
        SUP-0001	75	more events arrived than noafw could handle	the machine is overloaded, or a device sends without end	power-cycle the unit, end other programs, and run the same command again
        VIR-0001	74	cannot read the virtual unit's PATH: REASON	its folder was damaged, or it was changed by hand	repair the file, or remove the unit's folder to start with a new unit
        VIR-0002	74	cannot write the virtual unit's PATH: REASON	the disk is full, or this user may not write there	make room, or set NOAFW_STATE_DIR to another folder; then run the same command again
        VIR-0003	69	the virtual unit's LANGUAGE does not start (PATH)	the installed interpreter is damaged, or it is not the expected one	run Tools/setup runtime, or correct VARIABLE
        VIR-0004	65	the virtual unit cannot use this FILE: REASON	the file is damaged, or of another kind	give a WAV file with 16-bit PCM of at most a minute, or a JPEG file of at most 1 MiB
        VIR-0005	66	the files of the virtual unit's NAME are missing	noafw was moved or installed without noafw_VirtualDevices.resources	install noafw-virtual, or copy that folder to FOLDER, where noafw looks for it
        VIR-0006	65	the virtual unit cannot play firmware VERSION, only VERSION, VERSION, and later ones as the last	the vendor published sources of these versions alone, so what another one does is not known	use one of these versions; if the unit in FOLDER holds the other one, remove that folder to start with a new unit
        WEB-0001	64	nothing is fetched from this address: REASON	what is fetched is checked by a SHA-256 that is known before	give https://HOST/PATH#sha256=DIGEST, or fetch the file yourself and name it
        WEB-0002	69	HOST cannot be reached: REASON	this machine has no network, the name is wrong, or a firewall keeps it away	check the network; behind a proxy set HTTPS_PROXY; or fetch the file elsewhere and name it
        WEB-0003	69	the connection to HOST is not safe: REASON	another server answers, its certificate is bad, or this machine does not know its authority	check the clock and the name; SSL_CERT_FILE names the authorities of a network with its own
        WEB-0004	69	the proxy HOST:PORT does not let this through: REASON	HTTPS_PROXY names it, and it is off or has rules	correct HTTPS_PROXY, or add the host to NO_PROXY
        WEB-0005	69	ADDRESS is answered with HTTP status 404	the file was moved or removed, or wants a login	open the address in a browser, and correct it
        WEB-0006	69	ADDRESS leads elsewhere, and is not followed: REASON	the server sends every request on, or to an unsafe address	give the address where the file really is
        WEB-0007	65	ADDRESS gives more than 8192 bytes	it is another file, or a page about one	check that the address is the file's own
        WEB-0008	65	ADDRESS has SHA-256 DIGEST, and DIGEST is wanted	the file was replaced, or the digest is another file's	do not use it; ask the maker for the file's digest, by another way than the address
        WEB-0009	75	HOST took too long: TEXT	the server or the network is slow	run the same command again later
        WEB-000A	75	HOST broke off after 8192 bytes	the connection was lost	run the same command again
        WEB-000B	66	PATH holds no certificates in PEM	SSL_CERT_FILE names it	correct SSL_CERT_FILE, or unset it to trust the system's authorities
        WEB-000C	74	cannot keep a fetched file in PATH: REASON	the disk is full, or the folder belongs to another user	free some space, or set XDG_CACHE_HOME to a folder that noafw may write to
        ZIP-0001	65	the archive is not an intact zip archive: REASON	the file is truncated, damaged or of another kind	do not use it; fetch it again, or make it again
        ZIP-0002	65	the archive lists 5000 entries, the limit is 4096	it was not made for this use	do not use it; fetch it again, or make it again
        ZIP-0003	65	the archive holds an entry with an unsafe name: NAME	the name leads out of the archive, or the archive was tampered with	do not use it; fetch it again, or make it again
        ZIP-0004	65	the archive holds NAME more than once	it is ambiguous: two programs could read two different files from it	do not use it; fetch it again, or make it again
        ZIP-0005	65	the archive has no NAME	it is incomplete, or of another kind	do not use it; fetch it again, or make it again
        ZIP-0006	65	NAME in the archive has 9000 bytes or more, the limit is 8192	the file is not what its name says, or it is a zip bomb	do not use it; fetch it again, or make it again
        ZIP-0007	65	the archive unpacks to 9000 bytes or more, the limit is 8192	it was made for another use, or it is a zip bomb	do not use it; fetch it again, or make it again
        ZIP-0008	65	NAME in the archive cannot be unpacked: REASON	it is damaged, or it states wrong sizes	do not use it; fetch it again, or make it again
        ZIP-0009	74	the archive cannot be written: REASON	the system refused the operation	check the folder, its permissions and the free space
        ZIP-0010	65	the header of NAME in the archive is not as noafw writes it	no signature covers it: it was changed, or another tool packed the files again	do not use it; fetch it again, or make it again
        """#
}
