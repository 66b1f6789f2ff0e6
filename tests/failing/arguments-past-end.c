// verify:
// Behind the null pointer the list ends.
int main(int argc, char **argv)
{
    return argv[argc + 1] != 0;
}
