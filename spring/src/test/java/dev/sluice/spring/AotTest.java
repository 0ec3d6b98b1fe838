package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.RedisStore;
import dev.sluice.spring.client.SluiceClientAutoConfiguration;
import dev.sluice.spring.method.SluiceMethodAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** What a native image needs is known when it is built. */
@ExtendWith(OutputCaptureExtension.class)
class AotTest {
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        SluiceAutoConfiguration.class,
        SluiceMethodAutoConfiguration.class,
        SluiceClientAutoConfiguration.class
    })
    @Import(Shop.class)
    static class App {}

    static class Shop {
        @RateLimit(value = "5 per 1m", key = "#user")
        public String order(String user) {
            return "ordered by " + user;
        }
    }

    private static List<String> scripts() {
        try {
            URI folder = Objects.requireNonNull(RedisStore.class.getResource("script"))
                    .toURI();
            if (folder.getScheme().equals("file")) {
                return scripts(Path.of(folder));
            }
            try (FileSystem jar = FileSystems.newFileSystem(folder, Map.of())) {
                return scripts(jar.getPath("dev/sluice/redis/script"));
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> scripts(Path folder) throws IOException {
        // the folder of classes and the folder of resources may be the same
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".lua"))
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Test
    void everyScriptIsNamed() {
        RuntimeHints hints = new RuntimeHints();
        new SluiceRuntimeHints().registerHints(hints, null);
        assertThat(scripts())
                .hasSizeGreaterThan(10)
                .allSatisfy(script -> assertThat(
                                RuntimeHintsPredicates.resource().forResource("dev/sluice/redis/script/" + script))
                        .accepts(hints));
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/sluice/redis/script/none.lua"))
                .rejects(hints);
    }

    @Test
    void anApplicationIsProcessedWithoutAWarning(CapturedOutput output) {
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation =
                new DefaultGenerationContext(new ClassNameGenerator(ClassName.get("app", "App")), files);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(App.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
        }
        assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE).keySet())
                .anyMatch(name -> name.contains("SluiceAutoConfiguration"));
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/sluice/redis/script/decide.lua"))
                .accepts(generation.getRuntimeHints());
        assertThat(RuntimeHintsPredicates.reflection().onType(SluiceProperties.Filter.class))
                .accepts(generation.getRuntimeHints());
        assertThat(output.getAll().lines())
                .filteredOn(line -> !line.contains("PropertyNameCheck")) // of the system properties of this build
                .noneMatch(line -> line.contains("WARN") || line.contains("ERROR"));
    }
}
