#include <signal.h>
static volatile sig_atomic_t got_hup, got_term;
static void on_hup(int s) { (void)s; got_hup = 1; }
static void on_term(int s) { (void)s; got_term = 1; }
int wait_request(void);
void open_log(void); void close_log(void); void serve_one(int); void reload(void); void shutdown_now(void);
int main(void)
{
    signal(SIGHUP, on_hup);
    signal(SIGTERM, on_term);
    open_log();
    for (;;) {
        int r = wait_request();
        if (got_term) { shutdown_now(); break; }
        if (got_hup) { got_hup = 0; close_log(); reload(); open_log(); }
        if (r > 0) serve_one(r);
    }
    close_log();
    return 0;
}
