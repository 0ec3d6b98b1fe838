package dev.sluice.simulate.suggest.traffic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a site, found from the paths of its log: segments that look like numbers or names of things become
 * {@code *}, so that {@code /products/17} and {@code /products/18} are one endpoint. Their number is bounded; requests on
 * further ones are on {@link #OTHER}.
 *
 * <p>A mark is the number of an endpoint together with the group of a status.
 */
public final class Endpoints {
    /** The endpoint of requests that have no path, or came when there were too many endpoints. */
    public static final int OTHER = 0;

    public static final int OK = 0;
    /** 401 and 403. */
    public static final int REFUSED = 1;
    /** The other statuses of 4xx, except 429, which is the answer of a limit. */
    public static final int CLIENT_ERROR = 2;

    public static final int SERVER_ERROR = 3;

    private static final int MAX_ENDPOINTS = 4096;
    private static final int CACHED_PATHS = 1 << 15;
    private static final int MAX_CACHED_PATH = 256;
    private static final int MAX_SEGMENTS = 4;
    private static final int MAX_SEGMENT = 32;
    private static final int STATUS_BITS = 2;
    /** What a client sends as a method can be anything. */
    private static final Pattern METHOD = Pattern.compile("[A-Za-z-]{0,20}");

    private static final Pattern VERSION = Pattern.compile("v[0-9]{1,2}");

    private static final Set<String> ASSETS = Set.of(
            "css", "js", "mjs", "map", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "woff", "woff2",
            "ttf", "mp4", "webm");

    /**
     * An endpoint.
     *
     * @param method its method; empty if the log has none
     * @param path its path as a glob
     * @param asset whether it is a style, a script, an image or the like, which a browser loads by itself
     */
    public record Endpoint(String method, String path, boolean asset) {
        @Override
        public String toString() {
            return method.isEmpty() ? path : method + " " + path;
        }
    }

    /** A glob, and its endpoints by method. */
    private static final class Paths {
        final String glob;
        final Map<String, Integer> byMethod = new HashMap<>(4);

        Paths(String glob) {
            this.glob = glob;
        }
    }

    private final List<Endpoint> endpoints = new ArrayList<>(List.of(new Endpoint("", "other paths", false)));
    private final Map<String, Paths> byGlob = new HashMap<>();
    /** Paths that were seen, each at the place of its hash, and what they belong to. */
    private final @Nullable String[] seen = new @Nullable String[CACHED_PATHS];

    private final @Nullable Paths[] ofSeen = new @Nullable Paths[CACHED_PATHS];

    /** The mark of a request. */
    public int mark(@Nullable String method, @Nullable String path, int status) {
        return number(method == null ? "" : method, path) << STATUS_BITS | group(status);
    }

    private static int group(int status) {
        if (status < 400 || status == 429) {
            return OK;
        }
        if (status == 401 || status == 403) {
            return REFUSED;
        }
        return status < 500 ? CLIENT_ERROR : SERVER_ERROR;
    }

    private int number(String method, @Nullable String path) {
        if (path == null) {
            return OTHER;
        }
        int hash = path.hashCode();
        int place = (hash ^ hash >>> 16) & CACHED_PATHS - 1;
        Paths paths = path.equals(seen[place]) ? ofSeen[place] : null;
        if (paths == null) {
            String glob = glob(path);
            paths = byGlob.get(glob);
            if (paths == null) {
                if (endpoints.size() == MAX_ENDPOINTS) {
                    return OTHER;
                }
                paths = new Paths(glob);
                byGlob.put(glob, paths);
            }
            if (path.length() <= MAX_CACHED_PATH) {
                seen[place] = path;
                ofSeen[place] = paths;
            }
        }
        Integer number = paths.byMethod.get(method);
        if (number == null) {
            number = endpoints.size();
            if (number == MAX_ENDPOINTS || !METHOD.matcher(method).matches()) {
                return OTHER;
            }
            endpoints.add(new Endpoint(method, paths.glob, ASSETS.contains(extension(paths.glob))));
            paths.byMethod.put(method, number);
        }
        return number;
    }

    /** The number of the endpoint in a mark. */
    public static int endpoint(int mark) {
        return mark >>> STATUS_BITS;
    }

    /** The group of the status in a mark. */
    public static int statusGroup(int mark) {
        return mark & (1 << STATUS_BITS) - 1;
    }

    /** The endpoint of a number. */
    public Endpoint get(int number) {
        return endpoints.get(number);
    }

    /** How many there are. */
    public int size() {
        return endpoints.size();
    }

    // ---- Globs

    /** The glob of a path: {@code /products/*} for {@code /products/17}. */
    static String glob(String path) {
        StringBuilder glob = new StringBuilder();
        int segments = 0;
        for (String segment : path.split("/", -1)) {
            if (!segment.isEmpty()) {
                if (segments++ == MAX_SEGMENTS) {
                    return glob.append("/**").toString();
                }
                glob.append('/').append(segment(segment));
            }
        }
        return glob.isEmpty() ? "/" : glob.toString();
    }

    private static String segment(String segment) {
        if (isWord(segment)) {
            return segment;
        }
        String extension = extension(segment);
        return extension.isEmpty() ? "*" : "*." + extension;
    }

    /** Whether it names a part of the site and not one thing of many: letters, or a version such as v1. */
    private static boolean isWord(String segment) {
        if (segment.length() > MAX_SEGMENT) {
            return false;
        }
        boolean version = segment.charAt(0) == 'v' && VERSION.matcher(segment).matches();
        for (int i = 0; i < segment.length(); i++) {
            char letter = segment.charAt(i);
            boolean plain =
                    (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || "-_.~".indexOf(letter) >= 0;
            if (!plain && !version) {
                return false;
            }
        }
        return !segment.equals(".") && !segment.equals("..");
    }

    private static String extension(String name) {
        int dot = name.lastIndexOf('.');
        String extension = dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
        return ASSETS.contains(extension) ? extension : "";
    }
}
