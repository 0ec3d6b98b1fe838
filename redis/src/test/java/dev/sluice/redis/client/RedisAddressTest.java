package dev.sluice.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.client.RedisAddress.Kind;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisAddressTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            redis://localhost                       | STANDALONE | false | -     | -        | localhost:6379         | 0  | ''
            redis://localhost/                      | STANDALONE | false | -     | -        | localhost:6379         | 0  | ''
            redis://10.0.0.1:7000/15                | STANDALONE | false | -     | -        | 10.0.0.1:7000          | 15 | ''
            redis://cache_1.internal:1              | STANDALONE | false | -     | -        | cache_1.internal:1     | 0  | ''
            redis://[::1]:6380                      | STANDALONE | false | -     | -        | [::1]:6380             | 0  | ''
            redis://[fe80::1]                       | STANDALONE | false | -     | -        | [fe80::1]:6379         | 0  | ''
            redis://:secret@h                       | STANDALONE | false | -     | secret   | h:6379                 | 0  | ''
            redis://alice:secret@h:1/2              | STANDALONE | false | alice | secret   | h:1                    | 2  | ''
            redis://a%3Ab:p%40%2F%25%23%3F%3a@h     | STANDALONE | false | a:b   | p@/%#?:  | h:6379                 | 0  | ''
            redis://:a+b%20c@h                      | STANDALONE | false | -     | a+b c    | h:6379                 | 0  | ''
            redis://:p:q:r@h                        | STANDALONE | false | -     | p:q:r    | h:6379                 | 0  | ''
            redis://:gr%C3%BCn@h                    | STANDALONE | false | -     | grün     | h:6379                 | 0  | ''
            rediss://h                              | STANDALONE | true  | -     | -        | h:6379                 | 0  | ''
            redis-cluster://a:7001,b:7002,c         | CLUSTER    | false | -     | -        | a:7001 b:7002 c:6379   | 0  | ''
            rediss-cluster://u:p@a                  | CLUSTER    | true  | u     | p        | a:6379                 | 0  | ''
            redis-sentinel://a,b:1,[::1]/3#mymaster | SENTINEL   | false | -     | -        | a:26379 b:1 [::1]:26379 | 3  | mymaster
            rediss-sentinel://:p@a#m                | SENTINEL   | true  | -     | p        | a:26379                | 0  | m
            """)
    void whatAUrlSays(
            String url,
            Kind kind,
            boolean tls,
            @Nullable String user,
            @Nullable String password,
            String nodes,
            int database,
            String master) {
        RedisAddress address = RedisAddress.of(url);
        assertThat(address.kind()).isEqualTo(kind);
        assertThat(address.tls()).isEqualTo(tls);
        assertThat(address.user()).isEqualTo(user);
        assertThat(address.password()).isEqualTo(password);
        assertThat(address.nodes().stream().map(RedisAddress.Node::toString).collect(Collectors.joining(" ")))
                .isEqualTo(nodes);
        assertThat(address.database()).isEqualTo(database);
        assertThat(address.master()).isEqualTo(master);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                        | expected redis://host:port/database
            localhost                 | expected redis://host:port/database
            localhost:6379            | expected redis://host:port/database
            redis:localhost           | expected redis://host:port/database
            REDIS://localhost         | expected redis://host:port/database
            http://localhost          | its scheme 'http' is none of redis, redis-sentinel, redis-cluster, and rediss for TLS
            redisss://localhost       | its scheme 'redisss' is none of redis
            redis-socket://h          | its scheme 'redis-socket' is none of redis
            redis://                  | '' is not host or host:port
            redis://:6379             | ':6379' is not host or host:port
            redis://h:                | 'h:' is not host or host:port
            redis://h:port            | 'h:port' is not host or host:port
            redis://::1               | '::1' is not host or host:port
            redis://a b               | 'a b' is not host or host:port
            redis://h:123456          | 'h:123456' is not host or host:port
            redis://h:0               | a port is 1 to 65535, was 0
            redis://h:65536           | a port is 1 to 65535, was 65536
            redis://h/one             | a database is a number from 0 to 9999, was 'one'
            redis://h/-1              | a database is a number from 0 to 9999, was '-1'
            redis://h/10000           | a database is a number from 0 to 9999, was '10000'
            redis://h/1/2             | a database is a number from 0 to 9999, was '1/2'
            redis://h?timeout=1s      | parameters after a '?' are not supported: set them with the builder
            redis://h/0?protocol=3    | parameters after a '?' are not supported: set them with the builder
            redis://a,b               | several hosts need redis-cluster:// or redis-sentinel://
            redis://h#mymaster        | only redis-sentinel:// takes the name of a master after a '#'
            redis-cluster://h#m       | only redis-sentinel:// takes the name of a master after a '#'
            redis-cluster://h/1       | a cluster has no databases, so nothing may follow the hosts, but '/1' does
            redis-cluster://a,,b      | '' is not host or host:port
            redis-sentinel://a,b      | Sentinel needs the name of the master after a '#'
            redis-sentinel://a#       | Sentinel needs the name of the master after a '#'
            redis://secret@h          | expected user:password or :password before the '@', but there is no ':'
            redis://alice:@h          | its password is empty; without a password, leave out the '@' and everything before it
            redis://:@h               | its password is empty
            redis://:sec%zzret@h      | a '%' is not followed by two hexadecimal digits
            redis://:secret%@h        | a '%' is not followed by two hexadecimal digits
            redis://:sec@ret@h        | in a user or password write %2F for '/', %40 for '@', %23 for '#' and %3F for '?'
            redis://:sec/ret@h        | in a user or password write %2F
            redis://:sec#ret@h        | in a user or password write %2F
            redis://:sec?ret@h        | in a user or password write %2F
            redis://:secret@h:x       | 'h:x' is not host or host:port
            redis://:secret@h?a=b     | parameters after a '?' are not supported
            """)
    void whatIsWrongWithAUrl(String url, String message) {
        assertThatThrownBy(() -> RedisAddress.of(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not the address of a Redis: '" + url.replaceFirst("//.*@", "//…@") + "': ")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "redis://:sec@ret@h, ret",
        "redis://:sec/ret@h, sec",
        "redis://:sec#ret@h, sec",
        "redis://:sec%zzret@h, zz",
        "redis://secret@h, secret",
        "redis://u:secret@h:x, secret",
        "redis://u:secret@h/1?a=b, secret",
        "http://u:secret@h, secret",
    })
    void aPasswordIsNeverShown(String url, String part) {
        assertThatThrownBy(() -> RedisAddress.of(url)).message().doesNotContain(part);
    }

    @Test
    void anAddressIsShownWithoutItsLogin() {
        assertThat(List.of(
                                "redis://h",
                                "rediss://alice:secret@[::1]:1/2",
                                "redis-cluster://:secret@a,b:7",
                                "rediss-sentinel://a/1#m")
                        .stream()
                        .map(url -> RedisAddress.of(url).toString()))
                .containsExactly(
                        "redis://h:6379",
                        "rediss://[::1]:1/2",
                        "redis-cluster://a:6379,b:7",
                        "rediss-sentinel://a:26379/1#m");
    }
}
