int main(void)
{
    for (unsigned n = 0; n != 1000000; n++)
        ;
}
