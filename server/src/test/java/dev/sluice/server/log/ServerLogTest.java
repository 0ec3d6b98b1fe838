package dev.sluice.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whoever logs, and by whatever interface: one line each, in one form. */
class ServerLogTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @AfterEach
    void restore() {
        ServerLog.to(System.err, LogFormat.TEXT);
    }

    @Test
    void linesOfText() {
        ServerLog.to(out, LogFormat.TEXT);
        logAll();
        assertThat(lines())
                .allMatch(
                        line -> line.matches("time=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z level=\\w+ .*"));
        assertThat(lines().stream().map(line -> line.replaceFirst("time=\\S+ ", "")))
                .containsExactly(
                        "level=info event=started port=8080 file=\"a b\\nc=\\\"d\\\"\"",
                        "level=warn event=log logger=dev.sluice.test message=\"2 of 3\\nlevel=error event=forged\"",
                        "level=error event=log logger=dev.sluice.test message=failed"
                                + " error=\"java.lang.IllegalStateException: as it may happen\" at=" + where(),
                        "level=info event=log logger=io.vertx.test message=\"through SLF4J\"",
                        "level=warn event=log logger=jdk message=\"through the JDK\"");
    }

    @Test
    void objectsOfJson() {
        ServerLog.to(out, LogFormat.JSON);
        logAll();
        List<JsonObject> lines = lines().stream().map(JsonObject::new).toList();
        assertThat(lines.stream().map(line -> line.getString("level") + " " + line.getString("formattedMessage")))
                .containsExactly(
                        "INFO started",
                        "WARN 2 of 3\nlevel=error event=forged",
                        "ERROR failed",
                        "INFO through SLF4J",
                        "WARN through the JDK");
        assertThat(lines.get(0).getJsonArray("kvpList").getJsonObject(0).getString("port"))
                .isEqualTo("8080");
        assertThat(lines.get(2).getJsonObject("throwable").getString("message")).isEqualTo("as it may happen");
        assertThat(lines).allMatch(line -> line.getLong("timestamp") > 0);
    }

    private void logAll() {
        ServerLog.events()
                .atInfo()
                .addKeyValue("port", 8080)
                .addKeyValue("file", "a b\nc=\"d\"")
                .log("started");
        System.Logger system = System.getLogger("dev.sluice.test");
        system.log(System.Logger.Level.WARNING, "{0} of {1}", 2, "3\nlevel=error event=forged");
        system.log(System.Logger.Level.DEBUG, "too much");
        system.log(System.Logger.Level.ERROR, "failed", failure());
        LoggerFactory.getLogger("io.vertx.test").info("through {}", "SLF4J");
        LoggerFactory.getLogger("io.netty.test").info("too much");
        LoggerFactory.getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution")
                .error("too much");
        Logger.getLogger("jdk").log(Level.WARNING, "through {0}", "the JDK");
    }

    private static Throwable failure() {
        return new IllegalStateException("as it may happen");
    }

    private static String where() {
        return failure().getStackTrace()[0].toString();
    }

    private List<String> lines() {
        return out.toString(UTF_8).lines().toList();
    }
}
