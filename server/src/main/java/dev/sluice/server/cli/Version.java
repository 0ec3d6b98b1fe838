package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import picocli.CommandLine.IVersionProvider;

/** The version of this build, and of the Java that runs it. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        return new String[] {
            "sluice " + number(),
            "Java " + Runtime.version() + " (" + System.getProperty("java.vendor") + "), "
                    + System.getProperty("os.name") + " " + System.getProperty("os.arch")
        };
    }

    private static String number() throws IOException {
        try (InputStream text = Version.class.getResourceAsStream("version")) {
            if (text == null) {
                throw new IOException("this build has no version");
            }
            return new String(text.readAllBytes(), UTF_8).strip();
        }
    }
}
