package dev.sluice.spring.web;

class WebFluxWrongPasswordsTest extends WrongPasswordsContract {
    WebFluxWrongPasswordsTest() {
        super(Stack.WEBFLUX);
    }

    @Override
    String store() {
        return "memory";
    }
}
