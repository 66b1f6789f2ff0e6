class A {};
int main() {}
