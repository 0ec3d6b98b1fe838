package dev.sluice.spring.web;

import org.junit.jupiter.api.Tag;

@Tag("full")
class WebFluxWrongPasswordsTest extends WrongPasswordsContract {
    WebFluxWrongPasswordsTest() {
        super(Stack.WEBFLUX);
    }

    @Override
    String store() {
        return "memory";
    }
}
