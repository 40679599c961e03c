# Runs one PostgreSQL server until the standard input ends.
#
# With ISOLATED=1 it is the first process of its own mount, network, IPC and PID namespaces, in the root directory that
# root.sh has built: when it exits, for whatever reason, the kernel kills all other processes and removes all mounts.
#
# Variables:
#   ISOLATED  1 in namespaces, otherwise 0
#   SCRATCH   directory of the host with the directories run, room and status
#   DATA      data directory on the host
#   WAY       direct if the server works in DATA itself, otherwise it has a private copy
#   BYTES     limit of the private file system and of each file
#   PROCESSES limit of processes
#   MEMORY    limit of the address space of each process, in bytes
#   SERVER    user id of the server if this process runs as root, otherwise empty
#   BIN       directory of the programs
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
if [ "$ISOLATED" = 1 ]; then
    room=/tmp
    cd /tmp
else
    room=$SCRATCH/room
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
    for name in postgresql.conf PG_VERSION; do
        (umask 022 && cat "$room/data/$name" > "$room/original/$name")
    done
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
    # Whatever is in the place of the files of a running server.
    rm -rf "$room/data/postmaster.pid" "$room/run/".[!.]* || :
}
# Undoes what a superuser can have done against a start of the server and against the administrator, and writes the name
# of the latter to status/administrator. No process of the server runs meanwhile.
repair() {
    data=$room/data
    own "$data/."
    chmod 0700 "$data/."
    # Files that an unchanged cluster does not have, or that are written again. There can be a directory in their place.
    for name in PG_VERSION postgresql.conf postgresql.auto.conf pg_hba.conf pg_ident.conf postmaster.opts standby.signal \
        recovery.signal backup_label tablespace_map pg_logical/replorigin_checkpoint; do
        rm -rf "${data:?}/$name"
    done
    # A server that starts expects these directories. The content of the first ones does not outlive a server.
    for name in pg_dynshmem pg_notify pg_replslot pg_serial pg_snapshots pg_stat pg_stat_tmp pg_twophase; do
        rm -rf "${data:?}/$name"
    done
    for name in pg_dynshmem pg_notify pg_replslot pg_serial pg_snapshots pg_stat pg_stat_tmp pg_twophase pg_subtrans \
        pg_tblspc pg_commit_ts pg_logical pg_logical/mappings pg_logical/snapshots; do
        if [ -L "$data/$name" ] || ! [ -d "$data/$name" ]; then
            rm -rf "${data:?}/$name"
            mkdir "$data/$name"
            own "$data/$name"
        fi
    done
    # With the rights of the server, which can read no other files than its own.
    (become cp "$room/original/PG_VERSION" "$room/original/postgresql.conf" "$data")
    (become sh -c 'echo "local all all trust" > "$1/pg_hba.conf" && : > "$1/pg_ident.conf"' sh "$data")
    (become "$BIN/postgres" --single -D "$data" template1) > "$room/status/administrator" <<SQL
UPDATE pg_catalog.pg_authid SET rolsuper = true, rolcanlogin = true, rolconnlimit = -1, rolvaliduntil = NULL WHERE oid = 10
UPDATE pg_catalog.pg_database SET datallowconn = true WHERE NOT datallowconn AND datname <> 'template0'
UPDATE pg_catalog.pg_database SET datconnlimit = -1 WHERE datconnlimit < -1
SELECT rolname FROM pg_catalog.pg_authid WHERE oid = 10
SQL
}
while read -r command bytes; do
    case $command in
        init) init ;;
        start) start ;;
        restart) clear "$bytes" && start ;;
        repair)
            clear "$bytes" || :
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
