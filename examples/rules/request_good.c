/* Each kind of request is handled exactly once. */
enum { SUCCESS = 0, PENDING = 259, INVALID = -1 };
enum { READ = 1, WRITE, POWER };

int __VERIFIER_nondet_int(void);
void complete_request(int status);
void pass_request(void);
void mark_pending(void);

int dispatch(int kind, int length)
{
    switch (kind) {
    case READ:
        if (length == 0) {
            complete_request(SUCCESS);
            return SUCCESS;
        }
        mark_pending();
        return PENDING;
    case POWER:
        pass_request();
        return SUCCESS;
    default:
        complete_request(INVALID);
        return INVALID;
    }
}

int main(void)
{
    int kind = __VERIFIER_nondet_int();
    int length = __VERIFIER_nondet_int();
    dispatch(kind, length);
    return 0;
}
