package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.redis.servers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each client is optional: the store works with the other alone, and says what is missing without both. */
@Timeout(60)
class ConnectionWithoutClientTest {
    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void oneClientIsEnough(String missing) throws ReflectiveOperationException, IOException {
        try (RedisServer server = RedisServer.start();
                URLClassLoader loader = without(missing)) {
            assertThat(decided(loader, server.url())).isTrue();
            assertThat(server.keys()).hasSize(1);
        }
    }

    @Test
    void noneIsNotEnough() throws IOException {
        try (URLClassLoader loader = without("lettuce", "jedis")) {
            assertThatThrownBy(() -> decided(loader, "redis://h"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no client for Redis is on the class path: add io.lettuce:lettuce-core");
        }
    }

    @Test
    void theOneThatIsAskedForMustBeThere() throws IOException {
        try (URLClassLoader loader = without("lettuce")) {
            assertThatThrownBy(() -> {
                        Class<?> mine = loader.loadClass(Alone.class.getName());
                        call(mine, "lettuce", "redis://h");
                    })
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("LETTUCE is not on the class path");
        }
    }

    /** Run inside a class path of its own. */
    public static final class Alone {
        private Alone() {}

        public static boolean decide(String url) {
            try (RedisStore store = RedisStore.builder()
                    .url(url)
                    .timeout(Duration.ofSeconds(10))
                    .build()) {
                return store.limiter("alone", Limit.fixedWindow(1, Duration.ofHours(1)))
                        .tryAcquire("a");
            }
        }

        public static boolean lettuce(String url) {
            try (RedisStore store = RedisStore.builder()
                    .client(RedisStoreBuilder.Client.LETTUCE)
                    .url(url)
                    .build()) {
                return store.counters().open();
            }
        }
    }

    private static boolean decided(ClassLoader loader, String url) throws ReflectiveOperationException {
        return call(loader.loadClass(Alone.class.getName()), "decide", url);
    }

    private static boolean call(Class<?> where, String method, String url) throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader usual = thread.getContextClassLoader();
        thread.setContextClassLoader(where.getClassLoader());
        try {
            return (Boolean) where.getMethod(method, String.class).invoke(null, url);
        } finally {
            thread.setContextClassLoader(usual);
        }
    }

    private static URLClassLoader without(String... missing) {
        URL[] rest = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> Arrays.stream(missing)
                        .noneMatch(
                                each -> Path.of(entry).getFileName().toString().startsWith(each)))
                .map(ConnectionWithoutClientTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(rest, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }
}
