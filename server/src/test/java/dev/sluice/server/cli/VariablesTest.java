package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Every option of the service can be given as a variable. */
class VariablesTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SLUICE_PORT            | eighty      | Invalid value for variable SLUICE_PORT: 'eighty' is not an int; see",
                "SLUICE_PORT            | 65536       | SLUICE_PORT must be from 0 to 65535, was 65536; see",
                "SLUICE_ADMIN_PORT      | -1          | SLUICE_ADMIN_PORT must be from 0 to 65535, was -1; see",
                "SLUICE_ADMIN_PORT      | 8080        | --port and SLUICE_ADMIN_PORT must differ, both are 8080; see",
                "SLUICE_STORE_TIMEOUT   | 0           | SLUICE_STORE_TIMEOUT must be from 1 to 60000, was 0; see",
                "SLUICE_MEMORY          | lots        | SLUICE_MEMORY: expected a size such as 256MB",
                "SLUICE_LOG_FORMAT      | xml         | SLUICE_LOG_FORMAT must be text or json, was 'xml'; see",
                "SLUICE_ADMIN_TOKEN     | short       | SLUICE_ADMIN_TOKEN: admin token on line 1: a token has 16 to 512",
                "SLUICE_TLS_KEY         | key.pem     | TLS needs --tls-cert and --tls-key, and --tls-cert is missing",
                "SLUICE_PORT            | tcp://10.0.0.1:8080 | Invalid value for variable SLUICE_PORT: 'tcp://10.0.0.1:8080' is not an int: Kubernetes sets this variable for a Service of the name sluice; set enableServiceLinks: false",
            })
    void aBadValueNamesItsVariable(String variable, String value, String message) {
        assertThat(run(Map.of(variable, value), "serve")).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice serve: " + message).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    /** By one rule, so that a new option has its variable without further ado. */
    @Test
    void everyOptionWithANumberHasOne() {
        List<OptionSpec> numbers = serve().options().stream()
                .filter(option -> option.type() == int.class)
                .toList();
        assertThat(numbers).hasSizeGreaterThan(4);
        for (OptionSpec option : numbers) {
            String variable = "SLUICE_"
                    + option.longestName().substring(2).replace('-', '_').toUpperCase(java.util.Locale.ROOT);
            err.getBuffer().setLength(0);
            assertThat(run(Map.of(variable, "x"), "serve")).as(variable).isEqualTo(2);
            assertThat(err.toString()).contains("variable " + variable + ": 'x' is not an int");
        }
    }

    @Test
    void anOptionGoesBeforeItsVariable() {
        assertThat(run(Map.of("SLUICE_PORT", "eighty"), "serve", "--port", "65536"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice serve: --port must be from 0 to 65535, was 65536");
        err.getBuffer().setLength(0);
        assertThat(run(Map.of("SLUICE_PORT", "eighty"), "serve", "--port=65537"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice serve: --port must be from 0 to 65535, was 65537");
    }

    @Test
    void anEmptyVariableIsNone() {
        assertThat(run(Map.of("SLUICE_PORT", "", "SLUICE_GRACE", "-1"), "serve"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice serve: SLUICE_GRACE must be");
    }

    @Test
    void helpNamesTheRuleWhateverTheVariablesAre() {
        assertThat(run(Map.of("SLUICE_PORT", "eighty"), "serve", "--help")).isEqualTo(0);
        assertThat(out.toString()).contains("--admin-port is SLUICE_ADMIN_PORT");
    }

    @Test
    void otherCommandsHaveNone() {
        assertThat(run(Map.of("SLUICE_PERMITS", "ten", "SLUICE_OUT", "/nowhere/x.svg"), "simulate", "--out", "-"))
                .as(err.toString())
                .isEqualTo(0);
    }

    @Test
    void aMisspeltOneIsNoticed() {
        Variables variables = new Variables(Map.of(
                "SLUICE_ADMIN_PROT", "1", "SLUICE_SERVICE_HOST", "10.0.0.1", "SLUICE_JAVA_OPTS", "", "PATH", "/"));
        assertThat(variables.misspelt(serve()))
                .containsExactly(
                        "SLUICE_ADMIN_PROT is not a variable of sluice serve; did you mean 'SLUICE_ADMIN_PORT'?");
    }

    private static CommandSpec serve() {
        return new CommandLine(new ServeCommand()).getCommandSpec();
    }

    private int run(Map<String, String> environment, String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), environment, args);
    }
}
