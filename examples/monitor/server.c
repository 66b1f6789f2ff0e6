/* An echo server on the loopback device for the run-time monitor: it serves as many clients as
 * its argument says, one after the other, and ends. With -DBACKDOOR it also reads a file when a
 * client asks for it, which its model does not allow. It writes its port to standard output. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void say_port(int listener)
{
    struct sockaddr_in own;
    socklen_t length = sizeof own;
    char digits[8];
    int at = sizeof digits;
    unsigned port;
    if (getsockname(listener, (struct sockaddr *)&own, &length) != 0)
        exit(1);
    digits[--at] = '\n';
    for (port = ntohs(own.sin_port); port != 0; port /= 10)
        digits[--at] = (char)('0' + port % 10);
    write(1, digits + at, sizeof digits - at);
}

static void serve(int client)
{
    char buffer[256];
    long length;
    while ((length = read(client, buffer, sizeof buffer)) > 0) {
#ifdef BACKDOOR
        if (buffer[0] == '!') {
            int file = open("/etc/hostname", O_RDONLY);
            length = read(file, buffer, sizeof buffer);
            close(file);
        }
#endif
        if (write(client, buffer, length) != length)
            break;
    }
    close(client);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {0};
    int left = argc > 1 ? atoi(argv[1]) : 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0)
        exit(1);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0)
        exit(1);
    if (listen(listener, 4) != 0)
        exit(1);
    say_port(listener);
    for (; left > 0; left--) {
        int client = accept(listener, 0, 0);
        if (client < 0)
            exit(1);
        serve(client);
    }
    exit(0);
}
