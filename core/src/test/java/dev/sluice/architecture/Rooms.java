package dev.sluice.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The packages of one module, compared with their drawing in docs/architecture.md.
 *
 * <p>The drawing is the code block that begins with {@code ```rooms}. Each line names a package and, after {@code ->},
 * the packages it uses. A package uses only packages drawn above it, so the drawing has no cycle.
 */
public final class Rooms {
    private static final String ROOT = "dev.sluice";

    private final JavaClasses classes;
    private final Map<String, SortedSet<String>> drawn;

    private Rooms(JavaClasses classes, Map<String, SortedSet<String>> drawn) {
        this.classes = classes;
        this.drawn = drawn;
    }

    /** The packages of the module whose tests are running. */
    public static Rooms ofThisModule() {
        // The classes of the libraries are many, and only their names are needed.
        JavaClasses classes = ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter().importPath(Path.of("target", "classes"));
        });
        return new Rooms(classes, drawing(page()));
    }

    /** Checks that every package is drawn, uses what the drawing says, and uses only packages drawn above it. */
    public void areAsDrawn() {
        List<String> order = new ArrayList<>(drawn.keySet());
        List<String> problems = new ArrayList<>();
        used().forEach((room, uses) -> {
            if (!uses.equals(drawn.get(room))) {
                problems.add("docs/architecture.md must say:  " + line(room, uses)
                        + (drawn.containsKey(room)
                                ? "\n                 it says:  " + line(room, drawn.get(room))
                                : ""));
            }
            for (String use : uses) {
                if (order.contains(room) && order.indexOf(use) > order.indexOf(room)) {
                    problems.add(room + " uses " + use + ", which is drawn below it: " + example(room, use));
                }
            }
        });
        if (!problems.isEmpty()) {
            throw new AssertionError("packages and their drawing differ\n" + String.join("\n", problems));
        }
    }

    /** Checks that no package uses itself by way of another. */
    public void haveNoCycle() {
        ArchRule rule = slices().assignedFrom(BY_PACKAGE).should().beFreeOfCycles();
        rule.check(classes);
    }

    private static final SliceAssignment BY_PACKAGE = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return type.getPackageName().startsWith(ROOT)
                    ? SliceIdentifier.of(type.getPackageName())
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    };

    /** The packages of the module, each with the packages of Sluice that it uses. */
    private Map<String, SortedSet<String>> used() {
        Map<String, SortedSet<String>> used = new TreeMap<>();
        for (JavaClass type : classes) {
            if (type.getPackageName().startsWith(ROOT)) {
                SortedSet<String> uses = used.computeIfAbsent(type.getPackageName(), room -> new TreeSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    String other =
                            dependency.getTargetClass().getBaseComponentType().getPackageName();
                    if (other.startsWith(ROOT) && !other.equals(type.getPackageName())) {
                        uses.add(other);
                    }
                }
            }
        }
        return used;
    }

    private String example(String room, String use) {
        return classes.stream()
                .filter(type -> type.getPackageName().equals(room))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> dependency
                        .getTargetClass()
                        .getBaseComponentType()
                        .getPackageName()
                        .equals(use))
                .findFirst()
                .map(Dependency::getDescription)
                .orElse("");
    }

    /** The page in the root of the project, which is a parent of the folder that the tests run in. */
    private static Path page() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path page = folder.resolve(Path.of("docs", "architecture.md"));
            if (Files.exists(page)) {
                return page;
            }
        }
        throw new AssertionError(
                "no docs/architecture.md in a parent of " + Path.of("").toAbsolutePath());
    }

    private static Map<String, SortedSet<String>> drawing(Path page) {
        Map<String, SortedSet<String>> drawing = new LinkedHashMap<>();
        try {
            boolean inside = false;
            for (String line : Files.readAllLines(page)) {
                if (line.startsWith("```")) {
                    inside = line.equals("```rooms");
                } else if (inside && line.strip().startsWith(ROOT)) {
                    String[] sides = line.strip().split("\\s*->\\s*", 2);
                    SortedSet<String> uses = new TreeSet<>();
                    if (sides.length == 2) {
                        uses.addAll(List.of(sides[1].split("\\s+")));
                    }
                    drawing.put(sides[0], uses);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return drawing;
    }

    private static String line(String room, SortedSet<String> uses) {
        return room + (uses.isEmpty() ? "" : " -> " + String.join(" ", uses));
    }
}
