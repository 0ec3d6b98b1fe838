package dev.sluice.simulate.generate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The truth about the clients of a generated log, as a table: {@code ip,kind,abusive,requests,first,last}. */
public final class TruthFile {
    private static final String HEADER = "ip,kind,abusive,requests,first,last";

    private TruthFile() {}

    /** The text of the file: those with the most requests first. */
    public static String text(List<GeneratedClient> clients) {
        List<GeneratedClient> sorted = new ArrayList<>(clients);
        sorted.sort(
                Comparator.comparingLong(GeneratedClient::requests).reversed().thenComparing(GeneratedClient::ip));
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (GeneratedClient client : sorted) {
            text.append(client.ip()).append(',').append(client.kind().text()).append(',');
            text.append(client.kind().abusive())
                    .append(',')
                    .append(client.requests())
                    .append(',');
            text.append(client.first()).append(',').append(client.last()).append('\n');
        }
        return text.toString();
    }
}
