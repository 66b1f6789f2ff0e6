/* Forgets the file when the first character cannot be read. */
int open_file(const char *name);
int read_file(int file);
void close_file(int file);

int main(void)
{
    int file = open_file("settings");
    if (file < 0)
        return 1;
    if (read_file(file) < 0)
        return 1;
    close_file(file);
    return 0;
}
