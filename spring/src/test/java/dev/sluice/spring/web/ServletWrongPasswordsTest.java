package dev.sluice.spring.web;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class ServletWrongPasswordsTest extends WrongPasswordsContract {
    ServletWrongPasswordsTest() {
        super(Stack.SERVLET);
    }

    @Override
    String store() {
        return "memory";
    }
}
