package dev.sluice.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The scripts as Redis gets them, put together from their parts, are files of this module: an error of Redis names a line of
 * such a script.
 */
class AssembledScriptsTest {
    private static final Path FILES = Path.of("src/test/resources/dev/sluice/redis/script/assembled");
    private static final String HOW =
            "%s is not what is built; write it anew with -Dsluice.writeScripts=true -Dtest=AssembledScriptsTest and"
                    + " commit";

    private static Map<String, String> built() {
        Map<String, String> scripts = new TreeMap<>();
        List<String> algorithms =
                List.of("concurrency", "fixed-window", "sliding-log", "sliding-window", "token-bucket");
        for (String main : List.of("decide", "settle", "usage")) {
            for (String algorithm : algorithms) {
                add(scripts, main + "-" + algorithm, main, new Script.Part(algorithm, 0, false));
            }
        }
        for (String algorithm : algorithms) {
            List<Script.Part> parts = List.of(new Script.Part(algorithm, 0, false));
            scripts.put(
                    "decide-alone-" + algorithm + ".lua",
                    Script.alone("decide", Script.file("server-time"), parts).text());
        }
        add(
                scripts,
                "decide-token-bucket-and-fixed-window",
                "decide",
                new Script.Part("token-bucket", 0, false),
                new Script.Part("fixed-window", 0, false));
        for (String algorithm : List.of("fixed-window", "sliding-log", "sliding-window", "token-bucket")) {
            add(scripts, "decide-" + algorithm + "-continued", "decide", new Script.Part(algorithm, 2, true));
        }
        return scripts;
    }

    private static void add(Map<String, String> scripts, String name, String main, Script.Part... parts) {
        scripts.put(
                name + ".lua",
                Script.of(main, Script.file("server-time"), List.of(parts)).text());
    }

    @Test
    void theFilesAreWhatIsBuilt() throws IOException {
        for (Map.Entry<String, String> script : built().entrySet()) {
            if (Boolean.getBoolean("sluice.writeScripts")) {
                Files.createDirectories(FILES);
                Files.writeString(FILES.resolve(script.getKey()), script.getValue());
            }
            assertThat(file(script.getKey())).as(HOW, script.getKey()).isEqualTo(script.getValue());
        }
    }

    private static String file(String name) throws IOException {
        if (Boolean.getBoolean("sluice.writeScripts")) {
            return Files.readString(FILES.resolve(name));
        }
        try (InputStream in = AssembledScriptsTest.class.getResourceAsStream("assembled/" + name)) {
            return in == null ? "" : new String(in.readAllBytes(), UTF_8);
        }
    }
}
