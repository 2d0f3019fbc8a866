// Written by: make errors

extension ErrorRows {
    static let part3 = #"""
        KEY-0009	1	the unit did not type what was sent: REASON	its USB host is not there or asleep, or another program types on it	look at the host, wake it and check the USB cable; then run the same command again
        KEY-0010	1	the unit's trace is the same with and without this text, so it proves nothing	it holds the last 20 commands and keys, and they were the same before	type another text, or restart the unit first
        KEY-0011	130	interrupted; 64 keys are typed for certain	noafw received a signal; the unit still types what it has received, up to 64 keys	look at the host before you run the command again
        KEY-0011	130	interrupted; 64 of 100 keys are typed for certain	noafw received a signal; the unit still types what it has received, up to 64 keys	look at the host before you run the command again
        LED-0001	74	the run cannot be recorded: the ledger: REASON; the spool: REASON	the disk is full or read-only, or the folder belongs to another user	check the folder's permissions and free space, or set NOAFW_STATE_DIR to another folder; then run the same command again
        LED-0002	65	PATH has form FORM; this noafw supports forms up to FORM	a newer noafw has worked with this state folder	use the newer noafw, or set NOAFW_STATE_DIR to another folder
        LED-0003	64	the ledger cannot be kept in PATH, which is on FILE SYSTEM	processes on a network file system share no memory, and the ledger would be damaged	set NOAFW_STATE_DIR to a folder on a disk of this machine
        LED-0004	74	cannot read the ledger PATH: REASON	the disk or the file is damaged, or it is not a ledger	restore a copy of it; or run noafw flash or verify, which moves the file aside and begins a new ledger
        LED-0004	74	cannot read the ledger PATH: REASON	the file belongs to another user, or the disk is full, read-only or damaged	check the file's permissions and the disk; run the same command again
        LED-0005	75	another process holds PATH	a noafw that writes the ledger was stopped (Ctrl-Z), or it hangs	find it with: fuser -v PATH; resume or end it, then run the same command again
        LED-0006	130	run RUN was left open by its process	noafw was killed, or the machine lost its power	check that unit: run the same command again on it
        LED-0007	65	ADDRESS has the serial number BOUND SERIAL, and SERIAL was given	another unit's label was read, this unit got a new label, or run RUN bound them by mistake	read this unit's label again; see noafw ledger show RUN; if that is no longer true, add --rebind-serial
        LED-0007	65	serial number SERIAL belongs to BOUND ADDRESS, and this unit is ADDRESS	another unit's label was read, two labels are the same, or run RUN bound them by mistake	read this unit's label again; see noafw ledger show RUN; if that is no longer true, add --rebind-serial
        LED-0008	66	there is no run DIGITS	the digits belong to another ledger, or are mistyped	see noafw ledger list
        LED-0009	65	more than one run has the digits DIGITS	such as RUN	give more digits of the run
        LED-0010	65	the ledger has 2 findings	a disk that fails, a power cut, or a person who edited the file	follow the remedy beside each finding
        LED-0012	66	the ledger in FOLDER holds no run	nothing was recorded yet, the records are in another state folder, or they were removed	run a verb on a unit, or set NOAFW_STATE_DIR to the folder that has the records
        LED-0020	130	closed as aborted, because their process had ended: RUN	noafw was killed, or the machine lost its power	check the units of these runs; noafw ledger list --code LED-0006 lists them
        LED-0021	74	the ledger cannot be written (REASON); this run is recorded in PATH	the disk is full or read-only, or another process holds the ledger	check the folder's permissions and free space; a later run takes the spool into the ledger
        LED-0022	75	records taken from the spool into the ledger: 2	the ledger could not be written at an earlier run	none is needed
        LED-0023	65	invalid lines of the spool: 2, kept in PATH	a write was cut off, a newer noafw wrote them, or the file was edited	look at that file, then move it away
        LED-0024	65	the ledger was damaged; it was moved to PATH, and a new one was begun	the disk is failing, or a power cut damaged the file	copy that folder to a safe place, check the disk, then run: noafw ledger check --acknowledge
        LED-0025	74	cannot take in the spool PATH: REASON	the file belongs to another user, or it is too large	check the file's permissions; a later run takes it in
        LED-0026	75	3 bytes of records wait in PATH, and are not shown	the ledger could not be written at an earlier run	the next run takes them in
        LED-0027	65	invalid rows of the ledger, which are left out: row 3 (steps)	another program or a person edited the ledger's file	noafw ledger check names all of them; repair them with sqlite3 by their number, or delete them
        LED-0100	75	station STATION works on UNIT; its claim ends at 1970-01-01T00:00:00.000000Z if it is not renewed	two stations hear the same unit, or that station was switched off in the middle of a run	leave the unit to that station, or run the same command again after that time
        LED-0101	75	UNIT cannot be claimed: REASON	the ledger's server cannot be reached, and --claims require asks for one before each unit	check the network and the server, then run the same command again; or use --claims prefer
        LED-0102	75	the claim on UNIT runs out and could not be renewed, so nothing more is erased	the ledger's server cannot be reached, or another station took the unit	check the network and the server, then run the same command again: it continues where this run stopped
        LED-0103	65	according to the ledger's server, ADDRESS has the serial number BOUND SERIAL, and SERIAL was given	another unit's label was read, this unit got a new label, or station STATION bound them by mistake	read this unit's label again; see run RUN at station STATION; if that is no longer true, add --rebind-serial
        LED-0110	64	--ledger is not a server's address: REASON	it has another form	use postgresql://HOST/DATABASE or service=NAME
        LED-0111	64	--ledger and the service file must not contain a password	every user of this machine can read the arguments of a command	put the password into the file ~/.pgpass with mode 0600, and change it if others could read it
        LED-0112	64	a server on another machine needs sslmode=verify-full; this says SETTING	without it another server could pose as this one	leave sslmode out, and name the certificate of the server's authority with sslrootcert=FILE
        LED-0113	64	the service SERVICE cannot be used: REASON	the service file is at another place, or the name is misspelt	check ~/.pg_service.conf, or name the file with PGSERVICEFILE
        LED-0114	77	others may read the password file PATH: its mode is 0644	it was made with the usual rights	change the password if others could read it; then: chmod 0600 PATH
        LED-0115	64	the login LOGIN is not the one of station STATION	the server accepts a station's runs only under the station's own name	leave the user out of --ledger, or give the station its login's name
        LED-0116	66	the certificate of the server's authority is not there: PATH	sslrootcert is not set, or the file was moved	copy the file from the server's administrator, and name it with sslrootcert=FILE
        LED-0117	64	a station of this name cannot have a login on the server: REASON	on the server a station's name is its login	give another name with --station or NOAFW_STATION
        LED-0118	77	the ledger's server asks for the password in clear text over a connection that is not encrypted: it was not sent	another program listens there, or the server's pg_hba.conf says password	check who listens there; let the server's administrator write scram-sha-256 in pg_hba.conf
        LED-0120	75	the ledger's server cannot be reached: REASON	the server is stopped or busy, its certificate does not fit, or the network is cut	check the network and the server; runs are kept on this station and sent later
        LED-0121	77	the ledger's server refuses this station: REASON	the station has no login there, or its password was changed	check ~/.pgpass and the station's login on the server
        LED-0122	65	the server's tables have form 2; this noafw needs form 1	the server was set up for another version of noafw, or not at all	install a newer noafw on this station; runs are kept on it and sent later
        LED-0123	69	the ledger's server answered with error SQLSTATE: REASON	the server's tables or rights were changed by hand, or it is read-only or its disk is full	show the message to the server's administrator; runs are kept on this station and sent later
        LED-0124	69	the ledger's server answered with more than 1048576 bytes	it is not a ledger of noafw, or its tables or functions were changed by hand	check --ledger, and let the server's administrator look at the schema noafw; runs are kept on this station and sent later
        LED-0125	69	PostgreSQL's library cannot be loaded: REASON	libpq is not installed; noafw needs it for --ledger alone	install it, on Debian: apt install libpq5
        LED-0140	75	runs that wait for the ledger's server: 2: REASON	the server or the network failed, the server is misconfigured, or many earlier runs wait	none is needed: the next run sends them; to send them now, run: noafw ledger send
        LED-0141	65	the ledger's server refuses run RUN: REASON	a rule of the server's tables does not hold for this record	show the message to the server's administrator; then send it with: noafw ledger send --rejected
        LED-0142	75	units are processed without a claim: REASON	the ledger's server cannot be reached, and --claims prefer continues without it	make sure that no other station works on the same units, or use --claims require
        NOA-0001	66	there is no folder to keep the state in	neither NOAFW_STATE_DIR, XDG_STATE_HOME nor HOME names an absolute path	set NOAFW_STATE_DIR to a folder that noafw may write to
        NOA-0002	75	the run did not end within the 60 s of --timeout	the limit is too short for this job, or the link is slow	run the same command with a larger --timeout; it continues where it stopped
        NOA-0003	130	interrupted; STATE	noafw received a signal	run: COMMAND
        NOA-0004	74	unexpected error: ERROR	a fault in noafw or of this machine	run the same command again; if it fails again, report it with the output of -v
        NOA-0005	74	cannot write the result to standard output	the disk is full, or the program that reads it has ended	check where standard output leads, and run the same command again
        NOA-0006	65	IMAGE is a development image, not for hardware	the catalogue holds no release of this component, and this image was made for virtual units	run: noafw assets fetch monocle (or frame), or name the file, as with --firmware; in a lab, pass --development
        NOA-0007	74	PATH exists already	an overwritten key cannot be recovered	give another name, or move that file away
        NOA-0008	74	cannot write PATH	REASON	check the folder, its permissions and the free space
        NOA-0009	1	no answer: cancelled	the question was cancelled before it was answered	ask again
        NOA-0010	1	line 7: nothing matched PATTERN within 10 s	seen: "TEXT"	run the same command with --json to see every event
        NOA-0011	66	there is no key for the assistant	neither NOAFW_API_KEY, OPENAI_API_KEY nor the configuration file holds one for api.openai.com	set NOAFW_API_KEY, name another server with --base-url, or use --assistant echo
        NOA-0012	64	--virtual-speed max works only with the echo and without a terminal	people and servers live in real time, and the virtual unit would run ahead of them	leave out --virtual-speed max, or add --assistant echo and --query or --script
        NOA-0013	1	the unit differs from the catalogue in: scripts	the unit was never flashed, was flashed with other files, or was changed since	run: noafw flash --only scripts (or run noafw chat --no-verify to use the unit as it is)
        NOA-0014	130	the conversation was interrupted	noafw received a signal	run the same command to begin a new one
        NOA-0015	65	PATH, line 7: REASON	the script has no steps, or one that noafw chat does not know or cannot perform	correct the line; the steps are send, tap, hold, speak, show, picture, soak and expect (docs/chat.md)
        NOA-0016	65	a line of standard input is longer than 8192 bytes	each line is one question	put each question on a line of its own
        NOA-0017	75	the link was lost, and the unit came back 3 times, but its program was never ready within 60 s	the link keeps breaking (REASON), or the unit's program does not start	move the unit closer; if that does not help, run: noafw verify
        NOA-0017	75	the link was lost, and the unit did not come back within 60 s	the unit is out of range, switched off, or connected to another computer (REASON)	move the unit closer, then run the same command again
        NOA-0018	1	nothing was sent because the unit's program never reported ready	the unit's scripts are missing, broken, or made for another app	run noafw verify --deep with the files that the unit was provisioned with, then noafw flash with the same files
        NOA-0019	1	the answer did not arrive in two attempts: the unit sent no receipt	the unit's program is too busy to accept the text, or it has stopped	run the same command again; if it fails again, run noafw chat --json to see what the program prints
        NOA-0019	1	the answer did not arrive: the link was lost 3 times in a row; the last reason was: REASON	the unit refuses the text, restarts, or is almost out of range	run the same command again; if it fails again, run noafw chat --json to see what the program prints
        NOA-0020	1	the unit's program raised ERROR: TEXT	the scripts have a fault, or the unit is short of memory	run the same command with -v to see the traceback; run noafw verify --deep with the files that the unit was provisioned with, then noafw flash with the same files
        NOA-0021	1	the unit's program has ended	main.py is missing, has finished, or was interrupted	run noafw verify --deep with the files that the unit was provisioned with, then noafw flash with the same files
        NOA-0022	65	a statement is longer than 8192 bytes	the unit has to hold a whole statement in its memory	split the statement
        NOA-0023	130	the console was interrupted	noafw received a signal	run the same command to get back to the unit's prompt
        NOA-0024	64	PATH is also an input	the result would replace the input	give the result another name
        NOA-0025	64	PATH is in FOLDER, which is an input	the result would become part of the input	give the result a path outside that folder
        NOA-0026	64	PATH holds a private key	an overwritten key cannot be recovered	give the result another name, or move that file away
        NOA-0027	65	PATH is a private key, not a public key	checking a signature needs only the public key	give its public half: noafw package key show FILE --format pem, or noafw bundle key show FILE
        NOA-0028	77	other users may read the private key PATH	the permissions of the file are too wide	run chmod 600 on that file; make a new key if another user had access
        NOA-0029	69	this process may not open 64 more files	its limit is low (ulimit -n), or it was started with many files open	raise the limit, for example with: ulimit -n 1024
        NOA-0030	69	this process may not start 8 threads	the user's limit of processes is used up (ulimit -u), or memory is short (ulimit -v)	raise the limit, or end other programs of this user
        NOA-0031	64	noafw has no chat for the frame	this version of noafw does not support it for units of this family	use a unit of another family, or a newer noafw
        NOA-0032	65	cannot show PATH: REASON	noafw reads PNG and PPM by itself, and JPEG with the program djpeg	save the picture as PNG; for JPEG install Debian's libjpeg-turbo-progs
        NOA-0033	1	soak: 9 messages each way, 1 lost, 0 duplicate, 0 out of order, 0 sent again, 0 reconnects, longest delivery 0.0 s	the link or the unit's program loses or repeats messages	run the same command again with --json to see which; bring the unit closer and install the current scripts
        NOA-0034	1	the unit's display cannot show pictures	its family has no messages for them	leave out the step 'picture', or choose a Frame
        NOA-0035	64	the virtual units in FOLDER and FOLDER have the same address C0:00:00:00:00:10	one folder is a copy of the other	remove one of the folders to start with a new unit there, or name only one of the two
        NOA-0038	64	a frame has no fpga: its parts are firmware, scripts	--only names a part that units of this family do not have	name only parts that it has: --only firmware,scripts
        NOA-0039	64	PATH belongs to noafw itself	its state, its configuration or its catalogue is there	give the result another path
        NOA-0040	65	line 7 of PATH is not UTF-8 text	the file is damaged, in another encoding, or not a list of units	save it as UTF-8; write one address or name a line; # begins a comment
        NOA-0041	65	line 7 of PATH names no unit	a name has at most 64 bytes and no control characters	write one address or name a line; # begins a comment
        NOA-0042	65	PATH names UNIT twice: lines 3 and 7	a unit that is listed twice would be worked on twice, or another one was meant	correct or remove one of these lines
        NOA-0043	65	PATH names more than 10000 units	it is not a list of units, or it is one for many stations	divide the list
        NOA-0044	69	PATH names no unit	every line is empty or a comment	write one address or name a line; # begins a comment
        NOA-0045	64	--adapter hci0 and --adapter ADDRESS mean the same adapter	an adapter can be named by hciN, its address and its USB port	name each adapter once; see noafw doctor
        NOA-0046	65	PATH is no baseline: REASON	the file is another one, or it was cut off	make one with: noafw verify --all --json > FILE
        NOA-0047	65	line 7 of PATH cannot be used: REASON	a line of an allow-list is CSV: unit or pattern, part, allowed value, reason, last day	correct the line, or remove it
        NOA-0048	69	UNIT of PATH is not in reach	it is off, asleep on a charger, out of range or connected to another host	bring the unit back and run the same command again, or make a new baseline without it
        NOA-0049	65	PATH does not have UNIT	the unit is new, or the baseline was made from other units	make a new baseline with: noafw verify --json > FILE
        NOA-0050	65	PATH names UNIT, which is no address	--watch takes addresses alone, as any device may have any name	give its address; see noafw scan
        NOA-0051	64	nothing was scanned	Enter was pressed alone, or the code is empty	scan the serial number
        NOA-0052	64	the scan is longer than 200 characters	it is another code, or two codes were read as one	scan the serial number alone
        NOA-0053	64	the scan is not UTF-8 text	the scanner's character set is another one	set the scanner to UTF-8 or ASCII, and scan again
        NOA-0054	64	SERIAL does not have the form of a serial number (--serial-pattern)	another code of the label was scanned, or the scanner's keyboard layout is another one	scan the serial number
        NOA-0055	64	SERIAL is the number of the unit before, which passed	the code was scanned twice	scan the number of the unit that lies here
        NOA-0056	64	SERIAL belongs to the unit ADDRESS	the ledger has a run of that unit with this number	check the label; scan the number of the unit that lies here
        NOA-0057	64	the scan was ignored	a unit is being worked on, and scans are not kept for the next one	scan the number once the verdict is there
        NOA-0064	64	TEXT	the command line is incomplete or wrong	see noafw --help, or --help after the command's name
        NOA-0065	65	PATH is larger than 8192 bytes	it is not the kind of file that this option takes	check that it is the file you meant
        NOA-0066	66	cannot read PATH	REASON	check the name and the permissions
        NOA-0066	66	cannot read PATH	REASON	name a regular file; write what a pipe or device gives into a file first
        NOA-0067	66	there is no trust folder PATH	NOAFW_TRUST_DIR names it	make the folder, or unset NOAFW_TRUST_DIR
        NOA-0069	69	the virtual units' interpreters are not there	REASON	install noafw-virtual, run Tools/setup runtime in a checkout, or set NOAFW_PYTHON
        NOA-0074	74	cannot open the virtual unit in FOLDER	REASON	check the folder's permissions and disk space, or remove it to start with a new unit
        NOA-0075	74	cannot read PATH	REASON	check the disk, and fetch the file again
        NOA-0076	74	cannot open PATH	REASON	check the folder's permissions and disk space, or choose another name
        NOA-0080	64	a FAMILY makes no bonds	its application serves every host without pairing	use it without pairing; name another unit with --device
        NOA-0081	64	2 units can be meant: C0:00:00:00:00:10, C0:00:00:00:00:10	noafw unpair works without the unit, and this machine has worked on several that make bonds	name the unit with --device ADDRESS
        NOA-0081	64	no unit is named	noafw unpair works without the unit, and this machine has worked on none that make bonds	name the unit with --device ADDRESS
        NOA-0082	130	interrupted; the bond may be changed already	noafw received a signal	run: noafw pair; it says whether there is a bond
        NOA-0090	64	the robot has no FEATURE: its body is BODY	its firmware was compiled for a body without them	see with noafw robot info what the robot has
        NOA-0091	1	no part of the robot was tested	the test ended before its first check	run the same command again
        NOA-0092	1	the robot failed: CHECK	the checks above say what was expected	repair the robot, then run the same command again
        NOA-0093	130	interrupted; a robot that was moving was stopped, or its dead-man stops it	noafw received a signal	look at the robot; without a line about the stop above, switch it off and on before a phone drives it
        NOA-0094	65	line 3 of the motions is not a motion: REASON	a line is LEFT RIGHT TIME, such as: 100 -100 1.5s	correct the line, then run the same command again
        NOA-0095	64	there is no motion to drive	arrow keys need a terminal, and neither duties nor a file were given	give LEFT RIGHT --for TIME, or --script FILE
        NOA-0120	64	TEXT looks like an address, but is none; did you mean ADDRESS?	an address is six pairs of hexadecimal digits with colons, such as D3:5A:00:11:22:33	correct --device; noafw scan shows addresses, noafw units list the units that were worked on
        NOA-0121	64	no unit is called "TEXT"; did you mean "NAME"?	a name was mistyped, or has changed	see the names with noafw units list, and correct --device
        NOA-0122	64	no error has the code TEXT; the nearest is CODE	the code was mistyped, or another version of noafw has it	run noafw explain with the code as it was shown
        NOA-0123	64	this machine knows no unit "TEXT"	it is neither an address nor a name, or the unit was forgotten before	see the units with noafw units list, or give an address such as C6:05:04:03:02:01
        """#
}
