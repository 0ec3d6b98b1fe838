package dev.sluice.redis.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An executable redis-server.
 *
 * @param path where it is
 * @param version what it says its version is, such as 6.2.11
 */
public record RedisBinary(Path path, String version) {
    private static final Pattern VERSION = Pattern.compile("v=(\\S+)");

    /** Looked for once. */
    private static final class Found {
        static final @Nullable RedisBinary EMBEDDED = extracted();
        static final @Nullable RedisBinary SYSTEM = installed();
    }

    /** The one that comes with the tests. */
    public static RedisBinary embedded() {
        if (Found.EMBEDDED == null) {
            throw new IllegalStateException("the redis-server of the embedded-redis artifact does not run on "
                    + platform() + ": on Linux it needs libssl.so.3");
        }
        return Found.EMBEDDED;
    }

    /** The one that the environment variable SLUICE_TEST_REDIS names, or else the one on the PATH. */
    public static Optional<RedisBinary> system() {
        return Optional.ofNullable(Found.SYSTEM);
    }

    /** Every one that runs here. */
    public static List<RedisBinary> all() {
        return Stream.of(Found.EMBEDDED, Found.SYSTEM).filter(Objects::nonNull).toList();
    }

    /** The one that SLUICE_TEST_REDIS names, else the embedded one if it runs here, else the one on the PATH. */
    public static RedisBinary standard() {
        return Stream.of(named() == null ? null : Found.SYSTEM, Found.EMBEDDED, Found.SYSTEM)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no redis-server runs on " + platform()
                        + ": neither the embedded one nor one on the PATH; name one in SLUICE_TEST_REDIS"));
    }

    @Override
    public String toString() {
        return "redis " + version;
    }

    private static @Nullable RedisBinary extracted() {
        String name = resource();
        if (name == null) {
            return null;
        }
        try (InputStream in = RedisBinary.class.getResourceAsStream(name)) {
            if (in == null) {
                return null;
            }
            File file = File.createTempFile("sluice-redis-server-", "");
            file.deleteOnExit();
            Files.copy(in, file.toPath(), StandardCopyOption.REPLACE_EXISTING);
            if (!file.setExecutable(true)) {
                throw new IllegalStateException(file + " cannot be made executable");
            }
            return runnable(file.toPath());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot extract " + name, e);
        }
    }

    private static @Nullable String resource() {
        return switch (platform()) {
            case "linux-amd64" -> "/redis-server-6.2.6-v5-linux-amd64"; // which is a 6.2.11
            case "linux-aarch64" -> "/redis-server-6.2.7-linux-arm64";
            case "mac-x86_64" -> "/redis-server-6.2.6-v5-darwin-amd64";
            case "mac-aarch64" -> "/redis-server-6.2.6-v5-darwin-arm64";
            default -> null;
        };
    }

    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "mac" : system) + "-" + System.getProperty("os.arch");
    }

    private static @Nullable String named() {
        String named = System.getenv("SLUICE_TEST_REDIS");
        return named == null || named.isBlank() ? null : named;
    }

    private static @Nullable RedisBinary installed() {
        String named = named();
        if (named != null) {
            RedisBinary binary = runnable(Path.of(named));
            if (binary == null) {
                throw new IllegalStateException("SLUICE_TEST_REDIS names '" + named + "', which is no redis-server");
            }
            return binary;
        }
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        for (String folder : path.split(File.pathSeparator, -1)) {
            Path candidate = Path.of(folder, "redis-server");
            if (Files.isExecutable(candidate)) {
                return runnable(candidate);
            }
        }
        return null;
    }

    /** The binary at a path, if it can say its version. */
    private static @Nullable RedisBinary runnable(Path path) {
        try {
            Process process = new ProcessBuilder(path.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            Matcher version = VERSION.matcher(said);
            return version.find() ? new RedisBinary(path, version.group(1)) : null;
        } catch (IOException e) {
            return null;
        }
    }
}
