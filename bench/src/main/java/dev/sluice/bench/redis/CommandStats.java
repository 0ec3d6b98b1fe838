package dev.sluice.bench.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * INFO commandstats: calls and microseconds of each command since the server started.
 *
 * <p>Redis counts a command of a script twice: as a part of the script and by itself. Here only commands of clients count.
 */
record CommandStats(Map<String, Cost> commands) {
    /** Calls of commands, and the microseconds they took. */
    record Cost(double calls, double micros) {
        static final Cost NONE = new Cost(0, 0);

        Cost plus(Cost other) {
            return new Cost(calls + other.calls, micros + other.micros);
        }

        Cost times(double factor) {
            return new Cost(calls * factor, micros * factor);
        }
    }

    private static final Pattern LINE = Pattern.compile("cmdstat_([^:]+):calls=(\\d+),usec=(\\d+),.*");

    static CommandStats of(String info) {
        Map<String, Cost> commands = new HashMap<>();
        for (String line : info.lines().toList()) {
            Matcher stat = LINE.matcher(line);
            if (stat.matches()) {
                commands.put(
                        stat.group(1), new Cost(Double.parseDouble(stat.group(2)), Double.parseDouble(stat.group(3))));
            }
        }
        return new CommandStats(commands);
    }

    /** The calls and microseconds since an earlier reading. */
    CommandStats since(CommandStats before) {
        Map<String, Cost> added = new HashMap<>();
        commands.forEach(
                (name, cost) -> added.put(name, cost.plus(before.cost(name).times(-1))));
        return new CommandStats(added);
    }

    /** The scripts that clients sent. */
    Cost scripts() {
        return cost("eval").plus(cost("evalsha"));
    }

    /** The scripts that clients sent and the GETs that they sent beside them, if each script calls GET once itself. */
    Cost scriptsAndGets() {
        Cost gets = cost("get");
        double sent = Math.max(0, gets.calls - scripts().calls);
        return gets.calls == 0 ? scripts() : scripts().plus(gets.times(sent / gets.calls));
    }

    private Cost cost(String command) {
        return commands.getOrDefault(command, Cost.NONE);
    }
}
