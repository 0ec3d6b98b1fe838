package dev.sluice.spring.web;

class ServletWrongPasswordsTest extends WrongPasswordsContract {
    ServletWrongPasswordsTest() {
        super(Stack.SERVLET);
    }

    @Override
    String store() {
        return "memory";
    }
}
