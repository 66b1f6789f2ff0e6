/* Reads a file that may fail to open. */
int open_file(const char *name);
int read_file(int file);
void close_file(int file);

int main(void)
{
    int file = open_file("settings");
    int sum = 0;
    if (file < 0)
        return 1;
    for (int n = 0; n < 3; n++) {
        int c = read_file(file);
        if (c < 0)
            break;
        sum ^= c;
    }
    close_file(file);
    return sum == 0;
}
