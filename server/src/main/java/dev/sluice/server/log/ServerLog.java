package dev.sluice.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The log of the server: one line for each event, whoever logs it. {@link System.Logger}, SLF4J and the JDK's own logging
 * all end here.
 *
 * <p>Why it is configured in code: reading a configuration file takes Logback a tenth of a second, and there is nothing
 * in it that an operator has to change.
 */
public final class ServerLog extends ContextAwareBase implements Configurator {
    /** The name of the logger for events: its messages are names of events, and key-value pairs say more. */
    static final String EVENTS = "dev.sluice.server.events";

    /** Libraries that log too much. */
    private static final List<String> VERBOSE = List.of("io.lettuce", "io.netty");

    /**
     * Netty's logger for listeners of an event loop that has ended. The client of Redis ends one with each attempt to
     * connect that fails, so while Redis is away this would be two errors a second that mean nothing.
     */
    private static final String ENDED_LOOPS = "io.netty.util.concurrent.DefaultPromise.rejectedExecution";

    /** Logback makes one, when the first logger is asked for. */
    public ServerLog() {}

    /** Logs events of the server: the message is the name of the event. */
    public static Logger events() {
        return LoggerFactory.getLogger(EVENTS);
    }

    /** Makes the log ready. Logback is not for two threads while it makes itself ready. */
    public static synchronized void begin() {
        LoggerFactory.getILoggerFactory();
    }

    /** Sends every line to {@code out} from now on, and nowhere else. */
    public static synchronized void to(OutputStream out, LogFormat format) {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (factory instanceof LoggerContext context) {
            set(context, out, format);
        }
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }

    /** Until it is told otherwise, the log goes to standard error. */
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        set(context, System.err, LogFormat.TEXT);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static void set(LoggerContext context, OutputStream out, LogFormat format) {
        Encoder<ILoggingEvent> encoder = format == LogFormat.JSON ? json() : text(context);
        encoder.setContext(context);
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.setOutputStream(new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                out.write(bytes, from, length);
            }

            @Override
            public void close() {}
        });
        appender.start();
        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.setLevel(Level.INFO);
        root.addAppender(appender);
        VERBOSE.forEach(name -> context.getLogger(name).setLevel(Level.WARN));
        context.getLogger(ENDED_LOOPS).setLevel(Level.OFF);
    }

    private static Encoder<ILoggingEvent> text(LoggerContext context) {
        LineLayout layout = new LineLayout();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setLayout(layout);
        encoder.setCharset(StandardCharsets.UTF_8);
        return encoder;
    }

    private static Encoder<ILoggingEvent> json() {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMDC(false);
        encoder.setWithMarkers(false);
        encoder.setWithArguments(false);
        encoder.setWithMessage(false);
        encoder.setWithFormattedMessage(true);
        return encoder;
    }
}
