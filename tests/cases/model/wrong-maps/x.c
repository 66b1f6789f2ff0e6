int total;
int row[3];
int main(void)
{
    int state = total;
    return state;
}
