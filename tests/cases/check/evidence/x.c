extern int read(void);
extern void write(int);
int main(void)
{
    int left = 2;
    while (left > 0) {
        if (read())
            write(left);
        left--;
    }
    return 0;
}
