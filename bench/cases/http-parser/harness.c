/* http-parser as it is, fed with any bytes, one at a time, for ever; the callbacks are what is seen. */
#include "http_parser.h"

int __VERIFIER_nondet_int(void);

static int on_message_begin(http_parser *p) { return 0; }
static int on_url(http_parser *p, const char *at, size_t length) { return 0; }
static int on_status(http_parser *p, const char *at, size_t length) { return 0; }
static int on_header_field(http_parser *p, const char *at, size_t length) { return 0; }
static int on_header_value(http_parser *p, const char *at, size_t length) { return 0; }
static int on_headers_complete(http_parser *p) { return 0; }
static int on_body(http_parser *p, const char *at, size_t length) { return 0; }
static int on_message_complete(http_parser *p) { return 0; }

int main(void)
{
    static http_parser parser;
    static http_parser_settings settings;
    settings.on_message_begin = on_message_begin;
    settings.on_url = on_url;
    settings.on_status = on_status;
    settings.on_header_field = on_header_field;
    settings.on_header_value = on_header_value;
    settings.on_headers_complete = on_headers_complete;
    settings.on_body = on_body;
    settings.on_message_complete = on_message_complete;
    http_parser_init(&parser, HTTP_REQUEST);
    for (;;) {
        char byte = __VERIFIER_nondet_int();
        if (http_parser_execute(&parser, &settings, &byte, 1) != 1)
            break; /* an error: the connection is closed */
    }
    return 0;
}
