// verify:
// A text ends behind its zero.
int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-')
        return argv[1][2];
    return 0;
}
