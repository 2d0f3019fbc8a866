// Written by: make errors

extension ErrorRows {
    static let part2 = #"""
        DFU-0000	1	the bootloader refused EXECUTE: unknown request	the unit runs a bootloader that does not know it	check the unit's model
        DFU-0002	1	the bootloader refused EXECUTE: the request is not supported	the bootloader was built without it	check the unit's model
        DFU-0003	1	the bootloader refused EXECUTE: a parameter is wrong	the object's size does not suit the bootloader	power-cycle the unit and run the same command again; report it if it fails again
        DFU-0004	1	the bootloader refused EXECUTE: it has no memory for the object	the object is larger than the bootloader takes	power-cycle the unit and run the same command again
        DFU-0005	1	the bootloader refused EXECUTE: the object is not valid	the init packet or the finished image was found damaged	run the same command again; if it fails again, fetch the package again
        DFU-0007	1	the bootloader refused EXECUTE: the object type is not supported	the unit runs a bootloader that takes other objects	check the unit's model
        DFU-0008	1	the bootloader refused EXECUTE: the request is not permitted now	the bootloader lost its state, or bytes of the object are missing	run the same command again; it continues from what the unit has saved
        DFU-000A	1	the bootloader refused EXECUTE: the operation failed	the bootloader could not write its flash	charge the unit, power-cycle it, and run the same command again; set it aside if it fails again
        DFU-00FF	1	the bootloader refused EXECUTE: unknown error 0xFF	the unit runs a bootloader of another kind	report this with the output of -v
        DFU-0105	1	the bootloader refused CREATE: its flash does not take the next object	the flash is busy far longer than usual, or it is failing	charge the unit, power-cycle it, and run the same command again; set it aside if it fails again
        DFU-0B02	1	the bootloader refused EXECUTE: the init packet's format is wrong	the package was made for another bootloader	use the released package of this family
        DFU-0B03	1	the bootloader refused EXECUTE: the init packet's command is unknown	the package was made for a newer bootloader	use the released package of this family
        DFU-0B04	1	the bootloader refused EXECUTE: the init command is not valid	a field of the init packet is missing or out of range	use the released package of this family
        DFU-0B05	1	the bootloader refused EXECUTE: the firmware version is too low	the unit has newer firmware and prevents downgrades	use a package that is at least as new as the unit's firmware
        DFU-0B06	1	the bootloader refused EXECUTE: the package is for other hardware	the unit is of another family than the package	use the released package of this family
        DFU-0B07	1	the bootloader refused EXECUTE: the package wants another SoftDevice	the unit is of another family or its SoftDevice is old	use the released package of this family
        DFU-0B08	1	the bootloader refused EXECUTE: the package is not signed	the bootloader takes signed packages only	sign it: `noafw package create --key-file KEY`
        DFU-0B09	1	the bootloader refused EXECUTE: the hash type is not supported	the init packet does not use SHA-256	use the released package of this family
        DFU-0B0A	1	the bootloader refused EXECUTE: it could not compute the hash	the bootloader's cryptography failed	power-cycle the unit and run the same command again
        DFU-0B0B	1	the bootloader refused EXECUTE: the signature type is not supported	the package is not signed with ECDSA P-256	use the released package of this family
        DFU-0B0C	1	the bootloader refused EXECUTE: verification failed	the package is signed with a key that this unit does not trust, or the image on the unit does not match its hash	run the same command again; if it fails again, use a package that is signed for this unit
        DFU-0B0D	1	the bootloader refused EXECUTE: there is no room for the image	the image is larger than this unit's free flash	use the released package of this family
        DFU-0BFF	1	the bootloader refused EXECUTE: unknown error 0xFF	the unit runs a newer bootloader than noafw knows	report this with the output of -v
        DFU-1002	65	the firmware package has 9000 bytes or more, the limit is 8192	it is not a DFU package for this unit	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1003	65	the firmware package is not an intact zip archive: REASON	the file is truncated, damaged or of another kind	fetch the package again from its source and compare its SHA-256
        DFU-1004	65	the firmware package lists 90 entries, the limit is 64	it is not a DFU package	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1005	65	the firmware package holds an entry with an unsafe name: NAME	the name leads out of the package, or the archive was tampered with	do not use this package; use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1006	65	the firmware package holds NAME more than once	the archive is ambiguous: two programs could read two different images from it	do not use this package; use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1007	65	NAME in the firmware package has 9000 bytes or more, the limit is 8192	it was made for another device, or it is a zip bomb	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1008	65	NAME in the firmware package cannot be unpacked: REASON	the archive is damaged, or it states wrong sizes	fetch the package again from its source and compare its SHA-256
        DFU-1009	65	manifest.json in the firmware package is not usable: REASON	the package was made by hand or by an unknown tool	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1010	65	the firmware package has no NAME	the package is incomplete, or it is not a DFU package	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1011	65	the firmware package holds softdevice; noafw gives a FAMILY an application only	a SoftDevice or bootloader update could leave the unit beyond rescue	use a package with a single application
        DFU-1012	65	the init packet is not usable: REASON	the package is damaged or was made by an unknown tool	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1013	65	the init packet has 600 bytes, a bootloader takes 512	the package was made for another device	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1014	65	the image has 8192 bytes, its init packet says 9000	image and init packet come from different builds, or the image is truncated	fetch the package again from its source and compare its SHA-256
        DFU-1016	65	the image does not match the SHA-256 in its init packet	the image was changed or damaged after it was signed	fetch the package again from its source and compare its SHA-256
        DFU-1018	65	the package wants SoftDevice 0x0123, the unit has 0x0124	it is the package of another product	use the package of this family
        DFU-1019	65	the image has 9000 bytes, the unit has room for at most 8192	it was made for a larger device	use the package of this family
        DFU-1020	65	the package is not signed	it was made without a key; the bootloader refuses it	sign it: `noafw package create --key-file KEY`
        DFU-1021	65	the package carries a signature of type TYPE, not 64 bytes of ECDSA P-256 with SHA-256	it was made for another bootloader	use a package made by `noafw package create`, nrfutil or the vendor
        DFU-1022	65	the package's signature does not verify with KEY	it was signed with another key, or changed after it was signed	add the public key with --trust KEY if you know the signer; do not use the package otherwise
        DFU-1023	65	the signature for boot validation does not verify with KEY	it was made with another key than the package's own, or for another image	make the package again; the bootloader would not start this image
        DFU-1030	65	the key KEY is not usable: REASON	it is not an unencrypted P-256 key in PEM form	give a P-256 key in PEM form, as `noafw package key new` or `openssl ecparam -genkey` writes it
        DFU-1031	74	signing failed: REASON	libcrypto refused the operation, or there is no key	report this with the output of -v
        DFU-1032	74	the package cannot be written: REASON	libzip refused the operation	report this with the output of -v
        DFU-1040	65	FILE: line 7 is not an Intel HEX record	the file is damaged, or it is not Intel HEX (every file that is not named .bin is read as such)	give Intel HEX, or raw bytes in a file named .bin
        DFU-1041	65	FILE: line 7 REASON	the file was cut, edited by hand or changed in transfer	build or fetch the file again
        DFU-1043	65	FILE: line 7 writes 0x00027000, which line 3 has written already	two images were merged that do not fit together	give each image as a file of its own
        DFU-1044	65	FILE: line 7 and line 3 lie 9000000 bytes apart, an image has at most 1048576	the file holds data that does not belong to this image	leave out what is not part of the image, such as external flash
        DFU-1045	65	FILE: line 7 is the last one and is not an end-of-file record	the file was cut	build or fetch the file again
        DFU-1046	65	FILE: it holds no byte of an image	the file is empty, or all of it belongs to the MBR or the UICR	check that it is the file you meant
        DFU-1047	65	FILE: the image has 9000000 bytes, the limit is 1048576	it was made for a larger device	check that it is the file you meant
        DFU-104B	65	FILE: line 7 stands after the end-of-file record	several files were joined as they are	join them with a tool that knows Intel HEX, such as mergehex or srec_cat
        DFU-104C	65	FILE: line 7 holds data at 0x20000000, which is neither flash nor UICR	the file holds RAM or external flash, or it was made for another chip	check that it is the file you meant, and leave out what is not part of the image
        DFU-2001	1	the bootloader sent bytes that are not an answer: 60 01	it is not a Nordic DFU bootloader, or its memory is damaged	power-cycle the unit and run the same command again; set it aside if it fails again
        DFU-2002	75	packets of the image at byte 4096 were lost in 8 attempts	the air is crowded, or the unit cannot keep up	bring the unit closer to the adapter, charge it, and run the same command again
        DFU-2003	75	the bootloader does not answer SELECT	the unit hangs, or the link is too poor	bring the unit closer to the adapter, charge it, and run the same command again
        DFU-2004	75	the link was lost after 8192 of 100000 bytes; the unit kept 4096	the unit moved out of range or lost power	bring the unit closer to the adapter, charge it, and run the same command again
        DFU-2005	1	the link carries only 12 bytes in a packet, 20 are the least	the adapter negotiated a broken MTU	power-cycle the unit and run the same command again; set it aside if it fails again
        DFU-2006	1	the bootloader takes only 64 bytes in a piece of the init packet	it is not a bootloader that noafw knows	power-cycle the unit and run the same command again; set it aside if it fails again
        DFU-2007	1	the unit keeps reporting data that is not part of this image	another host sends to this unit at the same time, or its flash is failing	power-cycle the unit and run the same command again; set it aside if it fails again
        ESP-0001	65	the file is not an ESP32 image: it begins with 0x7f, not 0xe9	it is another kind of file, such as an ELF file or a merged image of the whole flash	give the application's .bin file from the build folder
        ESP-0002	65	the image has 20000000 bytes, more than 16777216	it is another kind of file	give the application's .bin file from the build folder
        ESP-0003	65	the image ends early, after 1000 bytes	it was not copied or written to its end	build or fetch the image again
        ESP-0004	65	segment 2 is wrong: REASON	what says how long its pieces are was changed	build or fetch the image again
        ESP-0005	65	the image's checksum is wrong	a byte of its code or data was changed	build or fetch the image again
        ESP-0006	65	the image's SHA-256 is wrong	a byte of the file was changed after the build	build or fetch the image again
        ESP-0007	65	32 bytes follow the image	the file was read out of a flash, holds several images, or is signed for Secure Boot	give the application's own .bin file
        ESP-0008	65	the image does not say which application it is	it is a bootloader, or it was not built with ESP-IDF 3.3 or later	give the application's .bin file, not the bootloader's
        ESP-0009	65	the image has no SHA-256 of its own	it was made with elf2image --dont-append-digest	build the image with its digest, as ESP-IDF does
        ESP-000A	65	the image is for esp32c3, and the unit has esp32s3	it was built for another board	build it for esp32s3's board
        ESP-000B	65	the image is the application "NAME", not IOS-Keyboard	it is another project's image	give the image of IOS-Keyboard
        ESP-000C	65	the image has 1600000 bytes, and the unit has room for 1572864	it was built with more in it, or for another partition table	build it smaller; a new partition table needs a cable
        FIL-0001	66	there is no NAME on the unit	it was removed, or has another name	see what is there: noafw fs ls
        FIL-0002	64	NAME is a folder	folders are copied and removed only when that is said	add -r, or name a file in it
        FIL-0003	64	NAME is a file, not a folder	a file of that name is in the way	name another place, or remove the file with noafw fs rm
        FIL-0004	1	the folder NAME is not empty	a program put a file there meanwhile	remove the folder with noafw fs rm -r
        FIL-0005	1	the unit has no room for NAME (9000 bytes)	the old and the new copy of a file are there side by side for a moment, and other files fill the rest	see what fills it: noafw fs ls -r; remove what you do not need: noafw fs rm
        FIL-0006	1	the unit refuses NAME: REASON	its file system does not do this, or its flash is damaged	try another name; look with noafw fs ls -r
        FIL-0007	75	NAME does not arrive whole	a program changes it, or data is lost on the air	bring the unit closer and run the same command again
        FIL-0008	65	NAME has 9000 bytes, more than 8192	a file on units of this family holds no more	split the file
        FIL-0009	65	the name NAME cannot be used	a path has at most 200 bytes and 12 parts, is UTF-8, and has neither .. nor control characters	rename the file; one on a unit: noafw console
        FIL-0010	65	FOLDER holds more than 4096 files	it is not a folder for a unit	name a smaller folder
        FLT-0001	69	NAME was not heard within 15 s of listening	it is off, asleep on a charger, out of range or connected to another host	wake the unit, take it off the charger, close the phone app, and run the command again
        FLT-0002	64	C0:00:00:00:00:10 was asked for twice	the list has the unit by its address and by its name	remove one of the two lines
        FLT-0003	75	the work on the unit did not end within 3600 s	a fault in noafw, or this machine is overloaded	run the same command again; if it fails again, report it with the output of -v
        FLT-0004	75	the unit was not started: 2 units in a row failed with CODE	the run was stopped, so that one fault does not go through all units	find the cause on the failed units; then run the same command again: units that are current already cost nothing
        FLT-0005	130	the unit was not started: the run was ended	the operator asked for an orderly end	run the same command again
        FLT-0006	130	the unit was not started: the run was interrupted	the run was cancelled	run the same command again
        FLT-0007	69	the unit was not started: no adapter is left	each adapter failed several units by its radio, or is gone	check the adapters with noafw doctor; replug them, and run the same command again
        FLT-0008	69	the line ended before a unit was worked on	no unit lay at the place for 2 s, alone and near enough, or none of the listed ones was heard	if one lay there, see its strength with noafw scan; lower the threshold with --near, or list its address with --devices
        FLT-0010	1	no more units are started: 2 units in a row failed with CODE	units that fail alike rarely have a fault of their own: the bundle or this station has it	find the cause on the failed units; then run the same command again: units that are current already cost nothing
        FLT-0011	1	no more units are started: 3 of 20 units failed	the bundle, the units or this station have a fault that more than one unit shows	find the cause on the failed units; then run the same command again: units that are current already cost nothing
        FLT-0012	1	no more units are started: the first 2 units failed, the last one with CODE	the bundle is not for these units, or this station has a fault	find the cause on the failed units; then run the same command again: units that are current already cost nothing
        FPGA-0001	65	the FPGA image has 500000 bytes, more than 444430	the file is not an image for the unit's FPGA	give the raw image of a release for the unit
        FPGA-0002	65	the FPGA image is empty	the file was not written completely	fetch the image again
        FPGA-0003	1	the FPGA flash does not hold what was written (page 3, 4)	the unit's flash is worn out or damaged	run the same command again (until then the unit starts from its built-in FPGA image); replace the unit if it fails again
        FPGA-0004	75	the FPGA image could not be written: REASON	data is lost on the air repeatedly	bring the unit closer; run the same command again (until then the unit starts from its built-in FPGA image)
        FPGA-0005	1	the FPGA commit marker reads back as BYTES	the unit's flash is damaged, or power was lost	run the same command again (until then the unit starts from its built-in FPGA image)
        FPGA-0008	65	the file is not an image for the unit's FPGA: REASON	it is another kind of file, or it was damaged	give the raw image of a release for the unit, or pass --any-fpga-image for an image of your own
        FPGA-0009	1	the FPGA image cannot be withdrawn	the unit's flash cannot be erased	replace the unit
        FRM-0001	69	the unit is a Halo, not a Frame	it advertises Frame's service, but its firmware is another	use the vendor's tools for it; noafw has changed nothing on it
        FRM-0001	69	the unit is a Halo, not a Frame; it has bonded with this machine	it advertises Frame's service, but its firmware is another	remove this machine's side of the bond with noafw unpair --device, and use the vendor's tools for the unit; nothing else was changed
        FRM-0002	1	a folder on the unit has the name of the script NAME	another program has made it	remove its files and then the folder with frame.file.remove, and run the same command again
        FRM-0004	1	the unit cannot be restarted over the air	its firmware has no command for it	restart it by hand: put it into its cradle and take it out again
        FRM-0005	1	the unit's program has replaced the firmware's frame.file.open	what the unit says of its files is the word of that program, which its firmware always starts first	run noafw flash --force with the files that the unit is to have; if that fails, press the button of its cradle while it charges, which erases bond and scripts (Frame Lite: its own button), and run noafw pair before it
        FRM-0006	1	the unit's firmware cannot store NAME, which holds a byte of 0; its old files are still there	firmware before v24.255 cuts what it writes off at such a byte	update the firmware first, with noafw flash, or leave the byte out of the file
        IMG-0001	66	there is no firmware for the keyboard	none is published: it is built with ESP-IDF	give the image with --firmware FILE
        IMG-0002	77	no trusted key vouches for PATH	the unit checks no signature, and no key is trusted here that could	give the key that signed it with --trust KEY, or accept it as it is with --unsigned
        IMG-0003	65	PATH is not signed: there is no PATH.sig	a key is trusted, so an image needs its signature	sign it: openssl pkeyutl -sign -rawin -inkey KEY -in FILE -out FILE.sig; or accept it as it is with --unsigned, without --trust
        IMG-0004	65	no trusted key signed PATH (KEY)	another key signed it, or the file or its signature was changed	fetch both anew, or give the right key with --trust
        KEP-0001	74	cannot keep the unit's files in PATH	REASON	make room there, or run the same command with --no-keep, which gives the files up
        KEP-0002	65	the kept file PATH is not what was kept	it was changed, or the disk is damaged	put its content back, or remove its folder and do without it: noafw restore --list shows what else is kept
        KEP-0003	66	nothing is kept of ADDRESS	no run has taken files from this unit	see what is kept of other units: noafw restore --list
        KEP-0004	64	nothing is kept of TIME	of this unit there is: TIME	name one of these times, or none for the last one
        KEP-0005	65	the kept files are a FAMILY's, and the unit is a FAMILY	another unit has the same address	restore to the unit that they come from
        KEP-0006	74	cannot note in PATH that the unit has its files back	REASON	make the folder writable, then run the same command again
        KEY-0001	69	C0:00:00:00:00:10 is no IOS-Keyboard: its attributes are another unit's; nothing was sent to it	a Monocle's prompt has the service of a keyboard, and any unit can have its name	find the keyboard's address with noafw scan
        KEY-0002	65	the layout de cannot type 1 character of the text (2 kinds, named above); nothing was typed	the unit skips in silence what its layout lacks	change those characters, or give --layout the layout that the unit and its host use
        KEY-0002	65	the layout de cannot type 2 characters of the text (1 kind, named above); nothing was typed	the unit skips in silence what its layout lacks	change those characters, or give --layout the layout that the unit and its host use
        KEY-0003	65	the text has more than 65536 bytes	the unit types 14 keys a second: this much takes more than an hour	give it in several runs
        KEY-0004	65	the text is not UTF-8	it is a binary file, or in another encoding	convert it first: iconv -t UTF-8
        KEY-0005	75	the link was lost (REASON): 64 of 100 keys are typed; 7 more may be typed or not	the unit is out of range or lost its power; without a link it still types what it has received	look at the host, empty its field by hand, and run the same command again
        KEY-0006	75	the last lines were not typed: 7 keys of a lost link may be typed or not	noafw takes nothing away on a host whose text it does not know	empty the host's field by hand, then give an empty line, or run the same command again
        KEY-0007	69	URL does not prove anything: REASON	it is not the unit's web page, or this machine is not in the unit's network	open the unit's page in a browser; its name is usually http://ios-keyboard.local
        KEY-0008	65	the unit uses the layout LAYOUT, not de; nothing was typed	the unit starts with ch-de, whatever was set before	set the layout on the unit's web page, or give --layout LAYOUT if its host uses that
        """#
}
