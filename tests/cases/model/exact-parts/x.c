int nd(void);
void out(int);
unsigned char c;
int p, y, z;
int main(void)
{
    c = nd();
    if (c == 255) {
        y = c;
        z = c * 2 + 1;
        out(y);
    }
    p = nd();
    if (p == 1) {
        z = -p * 100 - 7;
        out(z);
    }
    return 0;
}
