# Runs one PostgreSQL server until the standard input ends.
#
# With ISOLATED=1 it is the first process of its own mount, network, IPC and PID namespaces: when it exits, for whatever
# reason, the kernel kills all other processes and removes all mounts.
#
# Variables:
#   ISOLATED  1 in namespaces, otherwise 0
#   SCRATCH   directory of the host with the directories run, room and status
#   DATA      data directory on the host
#   WAY       overlay or copy: the server gets a private copy of DATA; direct: it works in DATA itself
#   MARKS     further options of the overlay mount
#   BYTES     limit of the private file system and of each file
#   PROCESSES limit of processes
#   MEMORY    limit of the address space of each process, in bytes
#   SERVER    user id of the server if this process runs as root, otherwise empty
#   BIN       directory of the programs
#   PREFIX    directory that contains BIN and must stay visible although its place is hidden, or empty
#   HIDDEN    directories to hide, one a line
#   CLOCK     library that sets the clock, or empty
#   TIME      time at which the clock starts
#   PASSWORD  password of the administrator, for the command init
#
# Commands: init, start, restart BYTES, repair BYTES, stop. The result of all but the last is a file in status: ready or
# failed. Only this process can write there, so that the server cannot redirect it.
set -eu
umask 077

own() {
    if [ -n "$SERVER" ]; then chown "$SERVER:$SERVER" "$@"; fi
}
room=$SCRATCH/room
if [ "$ISOLATED" = 1 ]; then
    mount -n -t tmpfs -o "size=$BYTES,mode=0755,nosuid,nodev" mcpmark "$room"
    mkdir "$room/run" "$room/status" "$room/tmp" "$room/data"
    mount -n --bind "$SCRATCH/run" "$room/run"
    mount -n --bind "$SCRATCH/status" "$room/status"
    case $WAY in
        direct) mount -n --bind "$DATA" "$room/data" ;;
        overlay)
            mkdir "$room/base" "$room/upper" "$room/work"
            own "$room/upper"
            mount -n --bind "$DATA" "$room/base"
            mount -n -t overlay -o "lowerdir=$room/base,upperdir=$room/upper,workdir=$room/work$MARKS" mcpmark "$room/data"
            # The overlay has its own reference to DATA. The server, which owns the files, must not reach them.
            umount -n "$room/base"
            ;;
        copy) cp -a "$DATA/." "$room/data" ;;
    esac
    if [ -n "$PREFIX" ]; then
        mkdir -m 0755 "$room/postgresql"
        mount -n --bind "$PREFIX" "$room/postgresql"
        mount -n -o remount,bind,ro "$room/postgresql"
        BIN=/tmp/postgresql/${BIN#"$PREFIX"/}
    fi
    mkdir -m 1777 "$room/shm"
    mount -n --move "$room" /tmp
    room=/tmp
    cd /tmp
    mount -n --bind /tmp/shm /dev/shm
    # Otherwise the processes of the host are visible, although no signal reaches them.
    mount -n -t proc proc /proc 2>/dev/null || :
    saved=$IFS
    set -f
    IFS='
'
    for hidden in $HIDDEN; do
        if [ -d "$hidden" ]; then mount -n -t tmpfs -o ro,size=4k,mode=0555 mcpmark "$hidden"; fi
    done
    IFS=$saved
    set +f
    # Where the kernel refuses this, the permissions of the server's user are the limit.
    mount -n -o remount,bind,ro / 2>/dev/null || :
else
    chmod 0711 "$SCRATCH" "$room"
    mkdir "$room/tmp"
    ln -s "$SCRATCH/run" "$room/run"
    ln -s "$SCRATCH/status" "$room/status"
    if [ "$WAY" = direct ] && [ -z "$SERVER" ]; then
        ln -s "$DATA" "$room/data"
    else
        # The user of the server may not be able to reach DATA, for example in the home of root.
        mkdir "$room/data" && cp -a "$DATA/." "$room/data"
    fi
fi
own "$room/tmp"
if [ "$WAY" != direct ]; then
    # For repairs.
    mkdir -m 0755 "$room/original"
    (umask 022 && cat "$room/data/postgresql.conf" > "$room/original/postgresql.conf")
fi
own "$room/run/."
chmod 0711 "$room/run/."
own "$room/data/."
chmod 0700 "$room/data/."
# Writes the data back, if the server works in a copy of a directory that is to be changed.
save() {
    if [ "$ISOLATED" = 0 ] && [ "$WAY" = direct ] && [ -n "$SERVER" ]; then
        find "$DATA" -mindepth 1 -delete
        cp -a "$room/data/." "$DATA"
    fi
}

# Replaces the shell by a program with the rights, limits and environment of the server.
become() {
    set -- env -i PATH=/usr/bin:/bin LC_ALL=C TZ=UTC PGTZ=UTC HOME=/tmp "$@"
    if [ -n "$CLOCK" ]; then
        shift 2
        set -- env -i "LD_PRELOAD=$CLOCK" "FAKETIME=@$TIME" FAKETIME_DONT_RESET=1 "$@"
    fi
    set -- prlimit --core=0 --fsize="$BYTES" --as="$MEMORY" --nproc="$PROCESSES" "$@"
    if [ -n "$SERVER" ]; then
        set -- --reuid="$SERVER" --regid="$SERVER" --clear-groups -- "$@"
    else
        set -- -- "$@"
    fi
    if [ "$ISOLATED" = 1 ] || [ -n "$SERVER" ]; then
        set -- --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@"
    fi
    exec setpriv --no-new-privs "$@"
}
server=
start() {
    rm -f "$room/status/ready" "$room/status/failed"
    become "$BIN/postgres" -D "$room/data" -k "$room/run" </dev/null >&2 &
    server=$!
    while kill -0 "$server" 2>/dev/null; do
        if [ -f "$room/data/postmaster.pid" ]; then
            while read -r line; do
                case $line in
                    ready*) : > "$room/status/ready" && return ;;
                esac
            done < "$room/data/postmaster.pid"
        fi
        sleep 0.005
    done
    : > "$room/status/failed"
}
stop() {
    if [ -n "$server" ]; then
        kill "-$1" "$server" 2>/dev/null || :
        wait "$server" || :
        server=
    fi
}
init() {
    printf '%s\n' "$PASSWORD" > "$room/tmp/password"
    own "$room/tmp/password"
    if (become "$BIN/initdb" --pgdata="$room/data" --username=postgres --pwfile="$room/tmp/password" \
        --auth=scram-sha-256 --encoding=UTF8 --lc-collate=C --lc-ctype=C.UTF-8 --lc-messages=C --lc-monetary=C \
        --lc-numeric=C --lc-time=C --no-sync --no-instructions --wal-segsize=1) </dev/null >&2 &&
        save; then
        : > "$room/status/ready"
    else
        : > "$room/status/failed"
    fi
    rm -f "$room/tmp/password"
}
# Kills the processes of the server, so that nothing can change the data meanwhile.
clear() {
    BYTES=$1
    if [ "$ISOLATED" = 1 ]; then
        # All processes but this one.
        kill -KILL -1 2>/dev/null || :
        wait || :
        server=
        mount -n -t tmpfs -o "remount,size=$BYTES,mode=0755,nosuid,nodev" mcpmark /tmp
    else
        stop QUIT
    fi
    rm -f "$room/data/postmaster.pid"
}
# Undoes what a superuser can have done against the administrator, and writes its name to status/administrator. This runs
# with the rights of the server, because its data directory may contain symlinks.
repair() {
    (become cp --remove-destination "$room/original/postgresql.conf" "$room/data/postgresql.conf")
    (become rm -rf "$room/data/postgresql.auto.conf" "$room/data/pg_hba.conf")
    (become sh -c 'echo "local all all trust" > "$1"' sh "$room/data/pg_hba.conf")
    (become "$BIN/postgres" --single -D "$room/data" template1) > "$room/status/administrator" <<SQL
UPDATE pg_catalog.pg_authid SET rolsuper = true, rolcanlogin = true, rolconnlimit = -1, rolvaliduntil = NULL WHERE oid = 10
SELECT rolname FROM pg_catalog.pg_authid WHERE oid = 10
SQL
}
while read -r command bytes; do
    case $command in
        init) init ;;
        start) start ;;
        restart) clear "$bytes" && start ;;
        repair)
            clear "$bytes"
            repair || :
            start
            ;;
        stop)
            stop INT
            save
            exit 0
            ;;
    esac
done
if [ "$ISOLATED" = 0 ]; then stop QUIT; fi
