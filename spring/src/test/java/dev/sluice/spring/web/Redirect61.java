package dev.sluice.spring.web;

import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;

/** The redirects of Servlet 6.1, which this code is not compiled with; in an older container the one that it has. */
public final class Redirect61 {
    private Redirect61() {}

    /** Redirects with a status, and whether to clear what has been written, or one of them. */
    public static void send(HttpServletResponse response, String location, Object... arguments) throws Exception {
        Class<?>[] types = Stream.concat(
                        Stream.of(String.class),
                        Stream.of(arguments).map(each -> each instanceof Integer ? int.class : boolean.class))
                .toArray(Class<?>[]::new);
        Method method = ClassUtils.getMethodIfAvailable(HttpServletResponse.class, "sendRedirect", types);
        if (method == null) {
            response.sendRedirect(location);
        } else {
            method.invoke(
                    response,
                    Stream.concat(Stream.of(location), Stream.of(arguments)).toArray());
        }
    }
}
