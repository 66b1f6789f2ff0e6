int main(void)
{
    for (unsigned n = 0;; n++)
        ;
}
