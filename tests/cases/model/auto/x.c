struct node { int kind; struct { unsigned char level; }; };
static struct node table[4];
unsigned mask[2][2];
long count;
int main(int argc, char **argv)
{
    for (int i = 0; i < 4; i++)
        if (table[i].kind == 7 && !table[i].level && count >= -3)
            count++;
    while (mask[1][0] > 5u)
        mask[1][0]--;
    switch (argc) {
    case 1 ... 3: return 1;
    default: return argv != 0;
    }
}
