package dev.sluice.server.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Reads private keys in the four forms of PEM that tools write.
 *
 * <p>The JDK reads PKCS #8 alone, which is a sequence of a version, an algorithm and the key. The older forms for RSA and
 * for elliptic curves, which cert-manager writes, are the key without the other two. The algorithm with its parameters
 * also stands in the public key of the certificate, so it is taken from there.
 */
final class PrivateKeys {
    private static final Pattern BLOCK = Pattern.compile(
            "-----BEGIN ((?:RSA |EC |ENCRYPTED )?PRIVATE KEY)-----(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final String UNKNOWN_ENCRYPTION = "the key is damaged, or encrypted in a form that is not known";
    private static final byte[] VERSION = {0x02, 0x01, 0x00};
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;

    private PrivateKeys() {}

    /** A key that cannot be used; the message says why. */
    static final class BadKeyException extends Exception {
        private static final long serialVersionUID = 1L;

        final boolean passwordIsWrong;

        BadKeyException(String message, boolean passwordIsWrong) {
            super(message);
            this.passwordIsWrong = passwordIsWrong;
        }
    }

    /** Reads the key that belongs to a public key. */
    static PrivateKey parse(String pem, @Nullable String password, PublicKey of) throws BadKeyException {
        Matcher block = BLOCK.matcher(pem);
        if (!block.find()) {
            throw new BadKeyException("there is no private key in PEM in it (-----BEGIN PRIVATE KEY-----)", false);
        }
        String form = block.group(1);
        if (block.group(2).contains("Proc-Type:")) {
            throw new BadKeyException(
                    "the key is encrypted in an old form; convert it with openssl pkcs8 -topk8", false);
        }
        byte[] der;
        try {
            der = Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException e) {
            throw new BadKeyException("the key is damaged: " + e.getMessage(), false);
        }
        PrivateKey key = key(
                switch (form) {
                    case "PRIVATE KEY" -> new PKCS8EncodedKeySpec(der);
                    case "ENCRYPTED PRIVATE KEY" -> decrypted(der, password);
                    default -> new PKCS8EncodedKeySpec(withAlgorithm(der, of));
                },
                of);
        if (!fits(key, of)) {
            throw new BadKeyException("the key does not fit the certificate", false);
        }
        return key;
    }

    private static PrivateKey key(PKCS8EncodedKeySpec spec, PublicKey of) throws BadKeyException {
        try {
            return KeyFactory.getInstance(of.getAlgorithm()).generatePrivate(spec);
        } catch (GeneralSecurityException e) {
            throw new BadKeyException(
                    "the key does not fit the certificate, which needs one for " + of.getAlgorithm()
                            + ", or is damaged",
                    false);
        }
    }

    private static PKCS8EncodedKeySpec decrypted(byte[] der, @Nullable String password) throws BadKeyException {
        if (password == null) {
            throw new BadKeyException("the key is encrypted, and no password for it is given", true);
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
            if (info.getAlgParameters() == null) {
                throw new BadKeyException(UNKNOWN_ENCRYPTION, false);
            }
            String algorithm = info.getAlgParameters().toString(); // the whole name, where getAlgName says PBES2 only
            SecretKey secret =
                    SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray()));
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(Cipher.DECRYPT_MODE, secret, info.getAlgParameters());
            return info.getKeySpec(cipher);
        } catch (GeneralSecurityException e) {
            throw new BadKeyException("the password does not open the key", true);
        } catch (IOException e) {
            throw new BadKeyException(UNKNOWN_ENCRYPTION, false);
        }
    }

    /** Whether what the private key signs is valid by the public key. */
    private static boolean fits(PrivateKey key, PublicKey of) {
        String algorithm = switch (of.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> of.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(VERSION);
            byte[] signed = signature.sign();
            signature.initVerify(of);
            signature.update(VERSION);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** A key in its own form as PKCS #8, with the algorithm of the public key. */
    private static byte[] withAlgorithm(byte[] key, PublicKey of) {
        byte[] algorithm = algorithm(of.getEncoded());
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.writeBytes(VERSION);
        inner.writeBytes(algorithm);
        write(inner, OCTETS, key);
        ByteArrayOutputStream outer = new ByteArrayOutputStream();
        write(outer, SEQUENCE, inner.toByteArray());
        return outer.toByteArray();
    }

    /** The first element of the sequence that an encoded public key is. */
    private static byte[] algorithm(byte[] publicKey) {
        int from = 1 + lengthBytes(publicKey, 1);
        int header = 1 + lengthBytes(publicKey, from + 1);
        int length = header + length(publicKey, from + 1);
        byte[] algorithm = new byte[length];
        System.arraycopy(publicKey, from, algorithm, 0, length);
        return algorithm;
    }

    private static int lengthBytes(byte[] der, int at) {
        return der[at] >= 0 ? 1 : 1 + (der[at] & 0x7f);
    }

    private static int length(byte[] der, int at) {
        if (der[at] >= 0) {
            return der[at];
        }
        int length = 0;
        for (int i = 1; i <= (der[at] & 0x7f); i++) {
            length = length << 8 | (der[at + i] & 0xff);
        }
        return length;
    }

    private static void write(ByteArrayOutputStream out, int tag, byte[] content) {
        out.write(tag);
        if (content.length >= 0x100) {
            out.write(0x82);
            out.write(content.length >> 8);
        } else if (content.length >= 0x80) {
            out.write(0x81);
        }
        out.write(content.length);
        out.writeBytes(content);
    }
}
