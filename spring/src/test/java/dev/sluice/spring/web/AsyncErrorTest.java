package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import dev.sluice.spring.RateLimit;
import dev.sluice.spring.RunningApp;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** When a client of HTTP/2 is gone, Jetty tells of an error, and never of the end of the asynchronous response. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AsyncErrorTest {
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    private final RunningApp app = Stack.SERVLET.start(
            List.of(App.class),
            "sluice.rules[0].name=by-rule",
            "sluice.rules[0].when.path=/by-rule",
            "sluice.rules[0].limits=1 at once",
            "sluice.rules[1].name=by-status",
            "sluice.rules[1].when.path=/by-rule",
            "sluice.rules[1].when.status=401",
            "sluice.rules[1].limits=100 per 1h");
    private final MockMvc mvc = mvc();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Api.class)
    static class App {}

    @RestController
    static class Api {
        @GetMapping("/by-rule")
        SseEmitter byRule() throws IOException {
            SseEmitter emitter = new SseEmitter(0L);
            emitter.send("on its way");
            return emitter;
        }

        @GetMapping("/by-annotation")
        @RateLimit("1 at once")
        public SseEmitter byAnnotation() {
            return new SseEmitter(0L);
        }

        @GetMapping("/callable")
        @RateLimit("1 at once")
        public Callable<String> callable() {
            return () -> {
                NEVER.await();
                return "done";
            };
        }
    }

    private MockMvc mvc() {
        WebApplicationContext context =
                Objects.requireNonNull(app.bean(DispatcherServlet.class).getWebApplicationContext());
        Filter filter = Objects.requireNonNull(
                context.getBean("sluiceFilter", FilterRegistrationBean.class).getFilter());
        return MockMvcBuilders.webAppContextSetup(context).addFilters(filter).build();
    }

    @AfterAll
    void stop() {
        NEVER.countDown();
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/by-rule", "/by-annotation", "/callable"})
    void anErrorFreesWhatIsHeld(String path) throws Exception {
        MvcResult first = mvc.perform(get(path)).andReturn();
        assertThat(mvc.perform(get(path)).andReturn().getResponse().getStatus()).isEqualTo(429);
        MockHttpServletRequest request = first.getRequest();
        MockAsyncContext async = (MockAsyncContext) Objects.requireNonNull(request.getAsyncContext());
        AsyncEvent gone = new AsyncEvent(async, new IOException("the client is gone"));
        for (AsyncListener listener : List.copyOf(async.getListeners())) {
            listener.onError(gone);
        }
        assertThat(mvc.perform(get(path)).andReturn().getResponse().getStatus()).isEqualTo(200);
    }
}
