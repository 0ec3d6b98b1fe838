package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The BOM and docs/versions.md name every module that is published, as it is. */
class ReleaseFilesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(sluice-[^<]+)</artifactId>");
    private static final Pattern AUTOMATIC = Pattern.compile("<Automatic-Module-Name>([^<]+)<");
    private static final Pattern DECLARED = Pattern.compile("(?m)^(?:open )?module ([\\w.]+) \\{");

    private record Published(String artifact, String module) {}

    private static String text(String path) throws IOException {
        return Files.readString(ROOT.resolve(path));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    private static List<Published> published() throws IOException {
        List<Published> published = new ArrayList<>();
        for (String module : all(MODULE, text("pom.xml"))) {
            String pom = text(module + "/pom.xml");
            if (!module.equals("bom") && !pom.contains("<maven.deploy.skip>true<")) {
                Path declaration = ROOT.resolve(module).resolve("src/main/java/module-info.java");
                String name = Files.exists(declaration)
                        ? all(DECLARED, Files.readString(declaration)).get(0)
                        : all(AUTOMATIC, pom).get(0) + ", automatic";
                published.add(new Published(
                        all(ARTIFACT, pom).stream()
                                .filter(artifact -> !artifact.equals("sluice-parent"))
                                .findFirst()
                                .orElseThrow(),
                        name));
            }
        }
        return published;
    }

    @Test
    void theBomHasEveryPublishedModule() throws IOException {
        String bom = text("bom/pom.xml");
        List<String> artifacts = all(ARTIFACT, bom);
        assertThat(artifacts.subList(1, artifacts.size()))
                .containsExactlyInAnyOrderElementsOf(
                        published().stream().map(Published::artifact).toList());
        assertThat(all(VERSION, bom)).startsWith(all(VERSION, text("pom.xml")).get(0));
    }

    @Test
    void thePageNamesEveryPublishedModule() throws IOException {
        String page = text("docs/versions.md");
        assertThat(published()).isNotEmpty().allSatisfy(each -> {
            String name = each.module.replace(", automatic", "");
            String automatic = name.equals(each.module) ? "" : ", automatic";
            assertThat(page).contains("| `" + each.artifact + "` | `" + name + "`" + automatic + " |");
        });
        assertThat(page).contains("<version>" + all(VERSION, text("pom.xml")).get(0) + "</version>");
    }
}
