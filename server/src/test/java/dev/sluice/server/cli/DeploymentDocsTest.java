package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServerSettings;
import dev.sluice.server.ServerSettings.Address;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.tls.TlsFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command in a {@code console} block of docs/deployment.md prints what the page says. */
@Tag("slow")
class DeploymentDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "deployment.md");
    private static final Pattern BLOCK =
            Pattern.compile("^```console\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern COMMAND = Pattern.compile("^\\$ (.+)\\n((?:(?!\\$ ).*\\n)*)", Pattern.MULTILINE);
    private static final Pattern SLUICE = Pattern.compile("(?:(SLUICE_\\w+)=(\\S+) )?\\./sluice (.*?)( \\| head -1)?");

    @TempDir
    Path folder = Path.of("");

    private @Nullable SluiceServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void everyCommandPrintsWhatThePageSays() throws Exception {
        List<String> said = new ArrayList<>();
        List<String> real = new ArrayList<>();
        for (MatchResult block : BLOCK.matcher(Files.readString(PAGE)).results().toList()) {
            for (MatchResult command : COMMAND.matcher(block.group(1)).results().toList()) {
                said.add("$ " + command.group(1) + "\n" + command.group(2));
                real.add("$ " + command.group(1) + "\n" + run(command.group(1)));
            }
        }
        assertThat(real).isEqualTo(said).hasSizeGreaterThan(4);
    }

    private String run(String command) throws IOException, InterruptedException {
        Matcher call = SLUICE.matcher(command);
        if (call.matches()) {
            StringWriter out = new StringWriter();
            PrintWriter writer = new PrintWriter(out, true);
            Map<String, String> variables = call.group(1) == null ? Map.of() : Map.of(call.group(1), call.group(2));
            Main.run(writer, writer, variables, call.group(3).split(" ", -1));
            return call.group(4) == null
                    ? out.toString()
                    : out.toString().lines().findFirst().orElse("") + "\n";
        }
        String here = command;
        if (command.contains("localhost:")) {
            SluiceServer running = running();
            here = command.replace("localhost:8080", "localhost:" + running.port())
                    .replace("localhost:8081", "localhost:" + running.adminPort());
        }
        Path output = folder.resolve("output");
        Process shell = new ProcessBuilder("sh", "-c", here)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(shell.waitFor(30, TimeUnit.SECONDS)).as(command).isTrue();
        return Files.readString(output, UTF_8);
    }

    /** A server with the certificate that the page makes. */
    private SluiceServer running() {
        SluiceServer running = server;
        if (running == null) {
            TlsFiles files = new TlsFiles("--tls-", folder.resolve("tls.crt"), folder.resolve("tls.key"), null, null);
            Address address = new Address(Address.LOOPBACK, 0, files);
            running =
                    SluiceServer.start(ServerSettings.of(InitialRules.example()).at(address, address));
            server = running;
        }
        return running;
    }
}
