package dev.sluice.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The login form of docs/spring.md, in a browser's steps: only wrong passwords count. */
class LoginFormTest {
    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(LoginForm.class)
    static class App {}

    @Test
    void onlyWrongPasswordsCount() {
        try (RunningApp app = RunningApp.start(
                WebApplicationType.SERVLET,
                List.of(App.class),
                "sluice.store=memory",
                "sluice.rules[0].name=failed-logins",
                "sluice.rules[0].when.path=/login",
                "sluice.rules[0].when.method=POST",
                "sluice.rules[0].when.status[0]=401",
                "sluice.rules[0].when.status[1]=403",
                "sluice.rules[0].key=ip",
                "sluice.rules[0].limits=2 per 1h sliding-log",
                "spring.security.user.name=ann",
                "spring.security.user.password=secret")) {
            for (int i = 0; i < 3; i++) {
                assertThat(login(app, "secret")).isEqualTo(302);
            }
            assertThat(login(app, "guess")).isEqualTo(401);
            assertThat(login(app, "guess")).isEqualTo(401);
            assertThat(login(app, "guess")).isEqualTo(429);
        }
    }

    /** Opens the form, and sends it. */
    private static int login(RunningApp app, String password) {
        HttpResponse<String> form = app.get("/login");
        Matcher token = TOKEN.matcher(form.body());
        assertThat(token.find()).as(form.body()).isTrue();
        String cookie = form.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
        return app.send(
                        "POST",
                        "/login?username=ann&password=" + password + "&_csrf=" + token.group(1),
                        "Cookie",
                        cookie)
                .statusCode();
    }
}
