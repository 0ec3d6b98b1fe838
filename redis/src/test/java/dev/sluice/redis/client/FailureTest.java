package dev.sluice.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            LOADING Redis is loading the dataset in memory                                            | NOT_READY
            BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.    | NOT_READY
            READONLY You can't write against a read only replica.                                     | NOT_MASTER
            READONLY You can't write against a read only replica. script: f3a, on @user_script:12.    | NOT_MASTER
            ERR Error running script (call to f_3a): @user_script:9: @user_script: 9: -READONLY You   | NOT_MASTER
            MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.          | NOT_MASTER
            NOAUTH Authentication required.                                                           | LOGIN
            WRONGPASS invalid username-password pair or user is disabled.                             | LOGIN
            CLUSTERDOWN Hash slot not served                                                          | NO_SLOT
            TRYAGAIN Multiple keys request during rehashing of slot                                   | NO_SLOT
            MOVED 3999 127.0.0.1:6381                                                                 | OTHER_SLOT
            ASK 3999 127.0.0.1:6381                                                                   | OTHER_SLOT
            CROSSSLOT Keys in request don't hash to the same slot                                     | OTHER_SLOT
            OOM command not allowed when used memory > 'maxmemory'.                                   | REFUSED
            ERR Error running script (call to f_3a): @user_script:9: @user_script: 9: -OOM command    | REFUSED
            MISCONF Redis is configured to save RDB snapshots                                         | REFUSED
            NOREPLICAS Not enough good replicas to write.                                             | REFUSED
            NOPERM this user has no permissions to run the 'evalsha' command                          | REFUSED
            WRONGTYPE Operation against a key holding the wrong kind of value                         | REFUSED
            ERR the key is READONLY to nobody                                                         | REFUSED
            ''                                                                                        | REFUSED
            """)
    void anErrorIsRecognisedByItsCode(String message, Failure expected) {
        assertThat(Failure.of(new ErrorReply(message))).isEqualTo(expected);
        assertThat(Failure.of(new CompletionException(new ErrorReply(message)))).isEqualTo(expected);
    }

    @Test
    void aReplyThatIsNoBytesIsNonsense() {
        assertThat(Failure.of(new ErrorReply(ErrorReply.notBytes("a number")))).isEqualTo(Failure.NONSENSE);
    }

    @Test
    void whateverElseAClientReportsMeansThatRedisWasNotReached() {
        assertThat(Failure.of(new ConnectException("READONLY"))).isEqualTo(Failure.UNREACHABLE);
    }
}
