"""What CPython has on Linux and lacks here, by the modules in which scripts look for it.

It is what CPython 3.13 has there and this guest does not, without what a later Python dropped.
"""

# Functions and classes: who calls them is stopped.
CALLS = {
    "os": """
        WCOREDUMP WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WSTOPSIG WTERMSIG chroot
        copy_file_range ctermid dup2 eventfd eventfd_read eventfd_write fchdir fstatvfs fwalk getegid
        geteuid getgid getgrouplist getgroups getloadavg getlogin getpgid getpgrp getppid getpriority
        getrandom getresgid getresuid getsid getuid getxattr grantpt initgroups listxattr lockf
        login_tty major makedev memfd_create minor mkfifo mknod nice openpty pidfd_open pipe pipe2
        posix_fallocate posix_openpt preadv ptsname pwritev readv removexattr sched_get_priority_max
        sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler sched_param
        sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler sendfile setegid
        seteuid setgid setgroups setns setpgid setpgrp setpriority setregid setresgid setresuid
        setreuid setsid setuid setxattr splice statvfs sync tcgetpgrp tcsetpgrp timerfd_create
        timerfd_gettime timerfd_gettime_ns timerfd_settime timerfd_settime_ns ttyname umask unlockpt
        unshare wait wait3 wait4 waitid waitid_result waitpid waitstatus_to_exitcode writev""",
    "socket": "if_indextoname if_nameindex if_nametoindex recv_fds send_fds sethostname",
    "signal": """
        alarm getitimer pause pidfd_send_signal pthread_kill pthread_sigmask setitimer siginterrupt
        sigpending sigtimedwait sigwait sigwaitinfo valid_signals""",
    "time": "clock_settime clock_settime_ns pthread_getcpuclockid thread_time thread_time_ns tzset",
    "select": "epoll",
    "selectors": "EpollSelector",
    "shutil": "disk_usage",
    "threading": "get_native_id",
    "_thread": "get_native_id",
    "asyncio": "open_unix_connection start_unix_server",
    "hashlib": "pbkdf2_hmac scrypt",
    "locale": "bind_textdomain_codeset bindtextdomain dcgettext dgettext gettext textdomain",
    "multiprocessing": """
        Array Barrier BoundedSemaphore Condition Event JoinableQueue Lock Manager Pipe Queue RLock
        RawArray RawValue Semaphore SimpleQueue Value""",
}

# Constants and base classes: who reads them is stopped.
VALUES = {
    "os": """
        CLD_CONTINUED CLD_DUMPED CLD_EXITED CLD_KILLED CLD_STOPPED CLD_TRAPPED CLONE_FILES CLONE_FS
        CLONE_NEWCGROUP CLONE_NEWIPC CLONE_NEWNET CLONE_NEWNS CLONE_NEWPID CLONE_NEWTIME
        CLONE_NEWUSER CLONE_NEWUTS CLONE_SIGHAND CLONE_SYSVSEM CLONE_THREAD CLONE_VM EFD_CLOEXEC
        EFD_NONBLOCK EFD_SEMAPHORE GRND_NONBLOCK GRND_RANDOM MFD_ALLOW_SEALING MFD_CLOEXEC O_ASYNC
        O_DIRECT O_FSYNC O_LARGEFILE O_NDELAY O_NOATIME O_PATH O_TMPFILE POSIX_SPAWN_CLOSE
        POSIX_SPAWN_CLOSEFROM POSIX_SPAWN_DUP2 POSIX_SPAWN_OPEN PRIO_PGRP PRIO_PROCESS PRIO_USER P_ALL
        P_NOWAIT P_NOWAITO P_PGID P_PID P_PIDFD P_WAIT RTLD_DEEPBIND RWF_APPEND RWF_DSYNC RWF_HIPRI
        RWF_NOWAIT RWF_SYNC SCHED_BATCH SCHED_FIFO SCHED_IDLE SCHED_OTHER SCHED_RESET_ON_FORK SCHED_RR
        SEEK_DATA SEEK_HOLE SPLICE_F_MORE SPLICE_F_MOVE SPLICE_F_NONBLOCK ST_APPEND ST_MANDLOCK
        ST_NOATIME ST_NODEV ST_NODIRATIME ST_NOEXEC ST_NOSUID ST_RDONLY ST_RELATIME ST_SYNCHRONOUS
        ST_WRITE TFD_CLOEXEC TFD_NONBLOCK TFD_TIMER_ABSTIME TFD_TIMER_CANCEL_ON_SET TMP_MAX WCONTINUED
        WEXITED WNOHANG WNOWAIT WSTOPPED WUNTRACED XATTR_CREATE XATTR_REPLACE XATTR_SIZE_MAX""",
    "signal": """
        ITIMER_PROF ITIMER_REAL ITIMER_VIRTUAL ItimerError SIGCLD SIGRTMAX SIGRTMIN SIG_BLOCK
        SIG_SETMASK SIG_UNBLOCK Sigmasks struct_siginfo""",
    "time": """
        CLOCK_BOOTTIME CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_TAI
        CLOCK_THREAD_CPUTIME_ID""",
    "select": """
        EPOLLERR EPOLLET EPOLLEXCLUSIVE EPOLLHUP EPOLLIN EPOLLMSG EPOLLONESHOT EPOLLOUT EPOLLPRI
        EPOLLRDBAND EPOLLRDHUP EPOLLRDNORM EPOLLWRBAND EPOLLWRNORM EPOLL_CLOEXEC PIPE_BUF POLLMSG
        POLLRDBAND POLLRDHUP POLLWRBAND""",
    "errno": """
        EADV EBADE EBADFD EBADR EBADRQC EBADSLT EBFONT ECHRNG ECOMM EDEADLOCK EDOTDOT EHOSTDOWN EISNAM
        EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC
        ELIBMAX ELIBSCN ELNRNG EMEDIUMTYPE ENAVAIL ENOANO ENOCSI ENODATA ENOKEY ENOMEDIUM ENONET ENOPKG
        ENOSR ENOSTR ENOTBLK ENOTNAM ENOTUNIQ EPFNOSUPPORT EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL
        ESOCKTNOSUPPORT ESRMNT ESTRPIPE ETIME ETOOMANYREFS EUCLEAN EUNATCH EUSERS EXFULL""",
    "socketserver": """
        ForkingMixIn ForkingTCPServer ForkingUDPServer ForkingUnixDatagramServer
        ForkingUnixStreamServer ThreadingUnixDatagramServer ThreadingUnixStreamServer
        UnixDatagramServer UnixStreamServer""",
}

# The prefixes of constants of `socket`, each with many.
OF_SOCKETS = ("AF_", "ALG_", "CAN_", "CMSG_", "ETHERTYPE_", "ETH_", "IOCTL_", "IPPROTO_", "J1939_", "MSG_",
              "NETLINK_", "NI_", "PACKET_", "PF_", "SCM_", "SOCK_", "SOL_", "SO_", "TIPC_", "UDPLITE_",
              "VMADDR_", "VM_SOCKETS_")
