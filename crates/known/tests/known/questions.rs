//! Rows answer what the engines ask, function by function.

use cwolf_known::{End, Row, lookup};

fn row(name: &str) -> &'static Row {
    lookup(name).unwrap_or_else(|| panic!("{name} has no row"))
}

fn all(names: &str, holds: impl Fn(&Row) -> bool) {
    for name in names.split_whitespace() {
        assert!(holds(row(name)), "{name}");
    }
}

/// Which arguments are written through: the question of an analysis that forgets what is written.
#[test]
fn written_arguments() {
    let cases: [(&[usize], &str); 11] = [
        (
            &[],
            "getc fgetc getchar _IO_getc putc fputc putchar _IO_putc puts fputs fflush fopen \
             fclose feof ferror clearerr fileno fseek ftell rewind fwrite perror ungetc free \
             malloc calloc rand srand random srandom getenv abs labs atoi atol atof clock sleep \
             usleep alarm strlen strnlen strcmp strncmp strcasecmp strncasecmp memcmp strchr \
             strrchr strstr strspn strcspn strpbrk memchr strdup strndup strerror isatty open \
             creat close write lseek dup dup2 unlink access chdir mkdir rmdir rename getpid \
             getppid getuid geteuid socket bind listen connect send sendto shutdown setsockopt \
             htons htonl ntohs ntohl umask printf fprintf dprintf syslog scanf fscanf sscanf",
        ),
        (
            &[0],
            "memcpy memmove memset mempcpy bzero strcpy strncpy stpcpy strcat strncat fgets fread \
             time pipe getcwd gethostname strftime wait poll sprintf snprintf",
        ),
        (
            &[1],
            "read recv stat fstat lstat clock_gettime nanosleep waitpid strtol strtoul strtoll \
             strtoull strtod bcopy localtime_r gmtime_r frexp modf",
        ),
        (&[0, 1], "gettimeofday"),
        (&[1, 2], "accept getsockname getpeername"),
        (&[1, 2, 3, 4], "select"),
        (&[3, 4], "getsockopt"),
        (&[1, 4, 5], "recvfrom"),
        (&[0, 2], "strtok_r"),
        (&[1, 2, 4], "getpwnam_r getgrnam_r"),
        (&[1, 2], "sincos"),
    ];
    for (args, names) in cases {
        all(names, |row| row.writes_args() == args);
    }
    all("scanf fscanf sscanf vsscanf __isoc23_scanf", |row| {
        row.scans().is_some()
    });
    all("printf fprintf syslog err __printf_chk", |row| {
        row.formatted().is_some() && row.scans().is_none()
    });
    all("strsep iconv readv recvmsg", |row| {
        !row.writes_beyond().is_empty()
    });
}

/// What happens to pointers: the question of a points-to analysis.
#[test]
fn pointers() {
    all(
        "malloc calloc realloc valloc memalign aligned_alloc strdup strndup reallocarray wcsdup",
        |row| row.allocates().is_some() && row.may_fail,
    );
    all(
        "alloca __builtin_alloca __builtin_alloca_with_align",
        |row| row.allocates_on_stack().is_some(),
    );
    all(
        "free printf puts putchar strlen strcmp strncmp memcmp exit abort __assert_fail memset read \
         fread stat time",
        |row| row.moves_no_pointers() && !row.keeps_pointers(),
    );
    all(
        "memcpy memmove strtol strsep scanf qsort asprintf getline getaddrinfo ioctl pthread_join \
         sigaction getpwnam_r epoll_wait",
        |row| !row.moves_no_pointers(),
    );
    all(
        "setvbuf putenv strtok atexit signal pthread_setspecific on_exit sigaction epoll_ctl",
        Row::keeps_pointers,
    );
    all("memcpy strcpy strchr fgets getcwd basename", |row| {
        !row.returns_args().is_empty()
    });
    all("getenv fopen gmtime strerror malloc mmap", |row| {
        row.returns_pointer() && row.returns_args().is_empty()
    });
}

/// Whether a run goes on: the question of every engine.
#[test]
fn ends() {
    all(
        "abort exit _exit _Exit quick_exit __builtin_trap reach_error",
        |row| row.ends().is_some() && row.prototype.noreturn,
    );
    all("longjmp siglongjmp __longjmp_chk", |row| {
        row.ends() == Some(End::Jump)
    });
    all(
        "__assert_fail __assert __assert_rtn __assert_perror_fail assert __VERIFIER_assert \
         assert_perror __CPROVER_assert __ESBMC_assert",
        Row::is_assertion,
    );
    all(
        "setjmp _setjmp sigsetjmp __sigsetjmp fork vfork getcontext",
        Row::returns_twice,
    );
    all(
        "atexit on_exit at_quick_exit signal bsd_signal sigset sigaction pthread_create \
         pthread_atfork thrd_create timer_create fork",
        Row::starts_something,
    );
    all("pthread_once call_once qsort bsearch nftw", |row| {
        !row.calls().is_empty()
    });
}

/// Whether a result is open: the question of replay.
#[test]
fn open_and_defined() {
    all(
        "malloc calloc free memcpy memset memmove memcmp strlen strcpy strcmp strncpy strncmp \
         strcat strchr abort exit fabs sqrt floor ceil __assert_fail isnan isinf fmod round trunc \
         reach_error sprintf printf snprintf asprintf mktime qsort sscanf strtok gmtime __signbit \
         rand_r strerror isalpha div",
        Row::is_defined,
    );
    all(
        "getchar getc fgetc rand random clock sleep time getenv read recv fgets fread scanf open \
         fopen stat getpid readdir gethostname accept select getcwd isatty sysconf \
         pthread_create",
        Row::is_open,
    );
    all(
        "printf puts putchar fprintf putc fputc fputs fflush perror vprintf printk clock srand \
         sleep usleep",
        Row::is_quiet,
    );
    all(
        "strlen sqrt abs memcmp isdigit_l strchr htons",
        Row::is_pure,
    );
    all("rand malloc printf getchar strtok memcpy exit", |row| {
        !row.is_pure()
    });
}

/// Handles with lives of their own, and those that lie in an object of the program.
#[test]
fn who_makes_handles() {
    for (name, param) in [
        ("fclose", 0),
        ("fputs", 1),
        ("pclose", 0),
        ("closedir", 0),
        ("freeaddrinfo", 0),
        ("iconv_close", 0),
        ("dlclose", 0),
        ("endmntent", 0),
    ] {
        assert!(row(name).is_made_by_library(param), "{name}");
    }
    for (name, param) in [("regfree", 0), ("regexec", 0), ("pthread_barrier_wait", 0)] {
        assert!(!row(name).is_made_by_library(param), "{name}");
    }
}

/// What a call says about its result is no write through an argument.
#[test]
fn facts_about_results() {
    let about_result = |row: &Row| {
        let effects = row.effects.iter();
        effects
            .clone()
            .any(|e| matches!(e, cwolf_known::Effect::Sets { at, .. } if at.is_result()))
    };
    all(
        "localtime gmtime getpwnam getgrgid readdir gethostbyname",
        about_result,
    );
    all("localtime readdir", |row| row.writes_args().is_empty());
}
