package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

/** Rules on {@code status} in an application's tests with {@code MockMvc}. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.MOCK)
@TestPropertySource(
        properties = {
            "sluice.store=memory",
            "sluice.rules[0].name=failed-logins",
            "sluice.rules[0].when.path=/login/**",
            "sluice.rules[0].when.status=401",
            "sluice.rules[0].key=ip,path",
            "sluice.rules[0].limits=5 per 1h sliding-log"
        })
class MockMvcTest {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(LoginApp.class)
    static class App {}

    private final MockMvc mvc;

    MockMvcTest(@Autowired WebApplicationContext context) {
        Filter sluice = Objects.requireNonNull(
                context.getBean("sluiceFilter", FilterRegistrationBean.class).getFilter());
        mvc = MockMvcBuilders.webAppContextSetup(context).addFilters(sluice).build();
    }

    private List<Integer> statuses(int times, String path) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            MvcResult result = mvc.perform(post(path)).andReturn();
            if (result.getRequest().isAsyncStarted()) {
                result = mvc.perform(asyncDispatch(result)).andReturn();
            }
            statuses.add(result.getResponse().getStatus());
        }
        return statuses;
    }

    /** Each answers in another way: at once, later, by an exception. More of them than there are places. */
    @ParameterizedTest
    @ValueSource(strings = {"/login/now", "/login/empty", "/login/throws", "/login/fails"})
    void wrongPasswordsCountAndRightOnesDoNot(String path) throws Exception {
        assertThat(statuses(12, path + "?ok=true")).containsOnly(200);
        assertThat(statuses(6, path + "?ok=false")).containsExactly(401, 401, 401, 401, 401, 429);
        assertThat(statuses(1, path + "?ok=true")).containsExactly(429);
    }

    @Test
    void otherRulesAndPathsAreAsTheyWere() throws Exception {
        assertThat(statuses(2, "/login/now?ok=true")).containsOnly(200);
        assertThat(statuses(1, "/nowhere")).containsExactly(404);
    }
}
