package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.web.Bounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process whose memory is used up ends, and says so first. */
class OutOfMemoryTest {
    /** An event loop that uses up all memory. */
    public static final class Hog {
        private Hog() {}

        public static void main(String[] args) throws InterruptedException {
            Ports ports = new Ports(Bounds.DEFAULTS);
            ports.vertx().runOnContext(turn -> hog());
            TimeUnit.SECONDS.sleep(30);
        }

        private static void hog() {
            List<byte[]> all = new ArrayList<>();
            while (all.size() < Integer.MAX_VALUE) {
                all.add(new byte[1 << 20]);
            }
        }
    }

    @Test
    void itEndsByItself() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx48m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Hog.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), US_ASCII);
        assertThat(process.waitFor()).as(said).isEqualTo(3);
        assertThat(said).contains("sluice: out of memory: the process ends");
    }

    /** Which sees the error in every thread, where the server sees it in event loops alone. */
    @Test
    void theLauncherLetsTheJvmEndIt() throws Exception {
        Path options = Path.of("..", "packaging", "java-options");
        assertThat(Files.readAllLines(options)).contains("-XX:+ExitOnOutOfMemoryError");
    }
}
