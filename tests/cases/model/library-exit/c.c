int atoi(const char *);
_Noreturn void exit(int);
int main(int argc, char **argv)
{
    if (argc > 1 && atoi(argv[1]) > 0)
        exit(1);
    exit(0);
}
