package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The pictures in the docs are what the code draws today. To write them anew:
 *
 * <pre>mvn -q -pl simulate -am test -Dtest=AlgorithmPicturesTest -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.pictures=write</pre>
 */
@Tag("slow")
class AlgorithmPicturesTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path IMAGES = DOCS.resolve("images");

    @Test
    void theCommittedPicturesAreWhatTheCodeDraws() throws IOException {
        Map<String, String> drawn = new TreeMap<>(AlgorithmPictures.draw());
        drawn.putAll(AlgorithmPictures.drawForReadme());
        if (System.getProperty("sluice.pictures", "").equals("write")) {
            Files.createDirectories(IMAGES);
            for (Map.Entry<String, String> picture : drawn.entrySet()) {
                Files.writeString(IMAGES.resolve(picture.getKey()), picture.getValue());
            }
        }
        Map<String, String> committed = new TreeMap<>();
        try (Stream<Path> files = Files.list(IMAGES)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".svg")).toList()) {
                committed.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        assertThat(committed.keySet()).isEqualTo(drawn.keySet());
        drawn.forEach((name, picture) -> assertThat(committed.get(name))
                .as("docs/images/%s (see AlgorithmPicturesTest for how to write it anew)", name)
                .isEqualTo(picture));
    }

    @Test
    void everyPictureIsShownAndEveryShownPictureIsThere() throws IOException {
        Matcher links =
                Pattern.compile("\\]\\(images/([^)]+)\\)").matcher(Files.readString(DOCS.resolve("algorithms.md")));
        assertThat(links.results().map(link -> link.group(1)))
                .containsExactlyInAnyOrderElementsOf(AlgorithmPictures.draw().keySet());
    }

    @Test
    void theReadmeShowsItsPictures() throws IOException {
        Matcher links =
                Pattern.compile("docs/images/([\\w-]+\\.svg)").matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(links.results().map(link -> link.group(1)))
                .containsExactlyInAnyOrderElementsOf(
                        AlgorithmPictures.drawForReadme().keySet());
    }
}
